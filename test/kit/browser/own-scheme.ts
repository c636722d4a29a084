import type { Locator, Page } from 'playwright-core';
import { comes } from './browser.ts';

/** A registered address of an app, whose scheme no browser of the tests can open. */
export const OWN_SCHEME = 'com.acme.game://';

/** Where `press` leads the browser, once it has tried to go there. The page stays where it is. */
export async function opens(page: Page, press: () => Promise<unknown>): Promise<string> {
  const tried = page.waitForEvent('requestfailed', (request) => request.url().startsWith(OWN_SCHEME));
  const [request] = await Promise.all([comes('the browser tries to open the app', tried), press()]);
  return request.url();
}

/**
 * Presses by the page's own script. A Chromium with windows asks in front of the page whether it may open the app, and takes every
 * click and key until a person has answered.
 */
export const pressBehindThePrompt = (pressed: Locator) =>
  pressed.evaluate((element) => (element as unknown as { click(): void }).click());
