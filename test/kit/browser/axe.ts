import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';

const SOURCE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/**
 * Asserts that axe finds no fault in the current page. It runs as a debugger does, so the page's policy does not apply
 * to it.
 */
export async function assertAccessible(place: Page | Frame, what = place.url(), options = {}): Promise<void> {
  if (!(await place.evaluate('"axe" in globalThis'))) await place.evaluate(SOURCE);
  const violations = await place.evaluate<Violation[]>(
    `axe.run(${JSON.stringify({ iframes: false, ...options })}).then(({ violations }) => violations)`,
  );
  const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  assert.deepEqual(found, [], what);
}

/** Asserts that all text has the contrast of WCAG's level AAA for somebody who asks for more, in light and in dark colours. */
export async function assertMoreContrast(page: Page, what = page.url()): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ contrast: 'more', colorScheme, reducedMotion: 'reduce' });
    await assertAccessible(page, `${what}, ${colorScheme}`, { runOnly: ['color-contrast-enhanced'] });
  }
  await page.emulateMedia({ contrast: null });
}
