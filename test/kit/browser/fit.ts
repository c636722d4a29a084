import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { seedOf } from '../run/seed.ts';
import { currentTier } from '../run/tier.ts';
import { areTurnsTaken } from '../run/turns.ts';
import { assertAccessible } from './axe.ts';

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };

/** Asserts that the current page passes axe, fits the screen, and has exactly one heading. */
export async function assertFit(place: Page | Frame, what = place.url()): Promise<void> {
  await assertAccessible(place, what);
  await assertFitScreen(place, what);
  assert.equal(await place.locator('h1').count(), 1, what);
}

/** Asserts that the current page is no wider than the screen, and breaks no word and no number of a table or a strip of figures. */
export async function assertFitScreen(place: Page | Frame, what = place.url()): Promise<void> {
  assert.equal(await place.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${what} is too wide`);
  assert.deepEqual(await place.evaluate<string[]>(BROKEN_WORDS), [], `${what} breaks words`);
}

/** Words that begin in one line and end in another. A line may end after a hyphen, and names and ids by others may break. */
const BROKEN_WORDS = String.raw`[...document.querySelectorAll('.data, .figures')].flatMap((part) => {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('bdi, code, .visually-hidden')) continue;
    for (const { index, 0: word } of text.data.matchAll(/[^\s\-–/@]+/g)) {
      const range = new Range();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word);
    }
  }
  return broken;
})`;

/** Asserts that the text of each button has one line. */
export async function assertFlatButtons(place: Page | Frame, what = place.url()): Promise<void> {
  assert.deepEqual(await place.evaluate<string[]>(TALL_BUTTONS), [], `${what} has buttons of two lines`);
}

const TALL_BUTTONS = `[...document.querySelectorAll('main :is(button, a.primary, a.secondary)')].filter((button) => {
  const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
  const lines = new Set();
  while (texts.nextNode()) {
    if (texts.currentNode.parentElement.closest('.visually-hidden')) continue;
    const range = new Range();
    range.selectNodeContents(texts.currentNode);
    for (const { top } of range.getClientRects()) lines.add(Math.round(top));
  }
  return lines.size > 1 && button.checkVisibility();
}).map((button) => button.textContent)`;

type Look = { readonly viewport: typeof PHONE; readonly colorScheme: 'dark' | 'light' };

/** The last one remains set. */
const LOOKS: readonly Look[] = [
  { viewport: DESKTOP, colorScheme: 'dark' },
  { viewport: PHONE, colorScheme: 'light' },
];
/** A whole run of the usual tier measures half of the pages, because axe is half of what a page costs. */
const TURNS = LOOKS.length * (areTurnsTaken() ? 2 : 1);
let turn = seedOf('looks');

/**
 * Asserts the same on a desktop in dark colours and on a phone in light ones, which remain set. The page is loaded once
 * for both. In the usual tier, each call checks the next one of the two,
 * or neither in a whole run.
 */
export async function assertFitInLooks(place: Page | Frame, what = place.url()): Promise<void> {
  const page = 'page' in place ? place.page() : place;
  const isTurnOf = turn++ % TURNS;
  for (const [i, { viewport, colorScheme }] of LOOKS.entries()) {
    const isChecked = currentTier() === 'all' || i === isTurnOf;
    if (!isChecked && i < LOOKS.length - 1) continue;
    await page.setViewportSize(viewport);
    // Without motion, since axe would measure a colour on its way from the other look.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (isChecked) await assertFit(place, `${what}, ${viewport.width} px wide, ${colorScheme}`);
  }
}
