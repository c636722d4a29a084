import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openScene } from '../../scripts/pictures/open-scene.ts';
import { SCENES } from '../../scripts/pictures/scenes.ts';
import { setWorld } from '../../scripts/pictures/world.ts';
import { lazily } from '../../src/base/lazily.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitScreen, DESKTOP, enlargeFigures, PHONE } from '../kit/browser/fit.ts';
import { everyTest } from '../kit/unit/at-end.ts';

const world = lazily(() => setWorld(everyTest));
const TABLET = { width: 1024, height: 768 };
const opened = new Set<string>();

/** On a phone, as it was opened, and on a desktop. Tables also with the figures of a large installation, and on a tablet. */
async function fits(page: Page): Promise<void> {
  opened.add(new URL(page.url()).pathname);
  for (const viewport of [PHONE, DESKTOP]) {
    await page.setViewportSize(viewport);
    await assertFitScreen(page, `${viewport.width} pixels`);
  }
  if ((await page.locator('.data, .figures').count()) === 0) return;
  for (const digits of [7, 11] as const) {
    await enlargeFigures(page, digits);
    for (const viewport of [DESKTOP, TABLET, PHONE]) {
      await page.setViewportSize(viewport);
      await assertFitScreen(page, `figures of ${digits} digits, ${viewport.width} pixels`);
    }
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

/** What is no page: it leads on, or is a file or a stream. */
const NO_PAGE: readonly string[] = [
  '/developer/apps/:id/payments/:requestId/progress',
  ...['/developer/keys', '/developer/webhooks'],
  ...['csv', 'export', 'head', 'key'].map((what) => `/operator/log/${what}`),
];

test('each page of the consoles has a scene', { skip: NO_BROWSER }, async () => {
  const { routes } = await world();
  const ours = routes.filter(({ url }) => /^\/(operator|developer)(\/|$)/.test(url) && !/\.(csv|json)$/.test(url));
  // Where a form is sent to, a GET leads back to the form.
  const forms = new Set(ours.flatMap(({ method, url }) => (method === 'POST' ? url : [])));
  const pages = new Set(ours.flatMap(({ method, url }) => (method === 'GET' && !forms.has(url) ? url : [])));
  const isOpened = (url: string) => {
    const pattern = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`);
    return [...opened].some((path) => pattern.test(path));
  };
  const without = [...pages].filter((url) => !isOpened(url));
  assert.deepEqual(without.sort(), [...NO_PAGE].sort());
});
