import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Words } from '../../src/words/words.ts';
import { assertFit, assertFlatButtons, DESKTOP, PHONE } from '../../test/kit/browser/fit.ts';
import { en } from '../../words/en.ts';
import { openScene } from './open-scene.ts';
import type { Scene } from './scene.ts';
import type { World } from './world.ts';

export const LOOKS = [
  { look: 'phone-light', viewport: PHONE, colorScheme: 'light' },
  { look: 'phone-dark', viewport: PHONE, colorScheme: 'dark' },
  { look: 'desktop-light', viewport: DESKTOP, colorScheme: 'light' },
  { look: 'desktop-dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;

/** Scenes at a time: the browser and the service share the machine. */
const AT_ONCE = 3;
/** Pages of the documentation are 30 screens tall. */
const TALLEST = 2400;
const SHORTEST = 360;

/** Takes all pictures of all scenes. Returns a line for each scene that could not be set. */
export async function photograph(
  browser: Browser,
  world: World,
  scenes: readonly Scene[],
  folder: string,
  words: Words = en,
): Promise<string[]> {
  const failed: string[] = [];
  const waiting = [...scenes];
  const work = async () => {
    for (let scene = waiting.shift(); scene; scene = waiting.shift()) {
      const { name } = scene;
      const look = (page: Page) => photographOne(page, scene, folder, words);
      await openScene(browser, world, scene, look, words).catch((error: Error) => {
        failed.push(`${name}: ${error.message}`);
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

/** The looks of a language: what differs from the English pages shows on a phone. */
export const looksOf = (words: Words) => (words === en ? LOOKS : LOOKS.slice(0, 1));

async function photographOne(page: Page, scene: Scene, folder: string, words: Words): Promise<void> {
  for (const { look, viewport, colorScheme } of looksOf(words)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await shoot(page, scene, join(folder, look, `${scene.name}.png`), viewport);
  }
  // Of the English pages the tests say it.
  if (words === en || scene.screenOnly) return;
  await assertFit(page, words.language);
  await assertFlatButtons(page, words.language);
}

/** The end of what a page shows: the document is at least as tall as the window. */
const LAST_LINE = `Math.ceil(Math.max(...[...document.body.children].map((each) => each.getBoundingClientRect().bottom)) + scrollY)`;

async function shoot(page: Page, { screenOnly = false }: Scene, path: string, { width, height }: typeof PHONE) {
  mkdirSync(dirname(path), { recursive: true });
  const used = screenOnly ? height : Number(await page.evaluate(LAST_LINE)) + 32;
  const clip = { x: 0, y: 0, width, height: Math.min(Math.max(used, SHORTEST), TALLEST) };
  await page.screenshot({ path, animations: 'disabled', fullPage: !screenOnly, clip });
}
