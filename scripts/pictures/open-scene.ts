import { stripVTControlCharacters } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { Words } from '../../src/words/words.ts';
import { PHONE } from '../../test/kit/browser/fit.ts';
import { en } from '../../words/en.ts';
import { inLanguage } from './in-language.ts';
import type { Scene } from './scene.ts';
import type { World } from './world.ts';

const PATIENCE_MS = 60_000;

/** A form that is shown again, with what is wrong. */
const MISTAKE = '[aria-invalid], [role=alert], .error';

/**
 * Opens a scene on a phone, in a profile of its own, and lets `look` see the page. Throws if the scene does not find its page:
 * the message says which page is there instead. `words`: of the reader.
 */
export async function openScene(
  browser: Browser,
  world: World,
  scene: Scene,
  look?: (page: Page) => Promise<void>,
  words: Words = en,
): Promise<void> {
  const context = await browser.newContext({
    viewport: PHONE,
    colorScheme: 'light',
    locale: words === en ? 'en-GB' : words.language,
  });
  try {
    context.setDefaultTimeout(PATIENCE_MS);
    const person = await scene.as?.(world);
    if (person) {
      const [name = '', value = ''] = person.cookie.split('=');
      await context.addCookies([{ name, value, url: world.origin }]);
    }
    const page = await context.newPage();
    const status = statusOf(page);
    try {
      await scene.open(words === en ? page : inLanguage(page, words), world, words);
      await page.waitForLoadState();
      const refuses = status() >= 400 && (await page.locator(MISTAKE).count()) === 0;
      if (refuses !== (scene.refuses ?? false))
        throw new Error(refuses ? 'The page is refused.' : 'Nothing is refused.');
    } catch (error) {
      const message = stripVTControlCharacters((error as Error).message)
        .split('\n')
        .slice(0, 4)
        .join(' ');
      const title = await page.title().catch(() => 'gone');
      throw new Error(`${message} The page is “${title}” (${status()}).`, { cause: error });
    }
    await look?.(page);
  } finally {
    await context.close();
  }
}

/** The status of the document that a page shows. */
function statusOf(page: Page): () => number {
  let status = 0;
  page.on('response', (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) status = response.status();
  });
  return () => status;
}
