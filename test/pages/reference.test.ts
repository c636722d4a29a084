import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from '../support/axe.ts';
import { NO_BROWSER, startBrowser } from '../support/browser.ts';
import { type Description, operationsOf } from '../support/description.ts';
import { startTestService } from '../support/service.ts';

const MAX_BYTES = 100_000;

test('the reference for people', { skip: NO_BROWSER }, async (t) => {
  const { origin } = await startTestService(t);
  const html = await (await fetch(`${origin}/docs`)).text();
  assert.ok(html.length < MAX_BYTES, `${html.length} bytes`);
  assert.doesNotMatch(html, /<script|undefined|\[object/);

  const description = (await (await fetch(`${origin}/openapi.json`)).json()) as Description;
  for (const { operation } of operationsOf(description)) assert.ok(html.includes(`id="${operation.operationId}"`));
  // Every link into the page arrives.
  for (const [, anchor = ''] of html.matchAll(/href="#([^"]+)"/g)) assert.ok(html.includes(`id="${anchor}"`), anchor);

  const browser = await startBrowser(t);
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1280, 'light'],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(`${origin}/docs`);
    assert.deepEqual(complaints, []);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    assert.ok(overflow <= 0, `${overflow} px too wide at ${width}`);
    await assertAccessible(page);
  }
});
