import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openScene } from '../../scripts/pictures/open-scene.ts';
import { SCENES } from '../../scripts/pictures/scenes.ts';
import { setWorld } from '../../scripts/pictures/world.ts';
import { lazily } from '../../src/base/lazily.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitScreen, DESKTOP, PHONE } from '../kit/browser/fit.ts';
import { everyTest } from '../kit/unit/at-end.ts';

const world = lazily(() => setWorld(everyTest));

/** On a phone, as it was opened, and on a desktop. */
async function fits(page: Page): Promise<void> {
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    await assertFitScreen(page, `${viewport.width} pixels`);
  }
}

// One world for all of them, as `npm run pictures` has: scenes can be in each other's way.
for (const [group, scenes] of Map.groupBy(SCENES, ({ name }) => name.split('/')[0]!)) {
  test(`each scene of ${group} that \`npm run pictures\` photographs finds its page, which fits`, {
    skip: NO_BROWSER,
    concurrency: 3,
  }, async (t) => {
    const browser = await startBrowser(t);
    const shared = await world();
    await Promise.all(scenes.map((scene) => t.test(scene.name, () => openScene(browser, shared, scene, fits))));
  });
}
