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
  assert.deepEqual(await place.evaluate<string[]>(HOLES), [], `${what} has a strip with a hole`);
  assert.equal(await place.locator('h1').count(), 1, what);
}

/** The names of strips' figures that stand alone below a row of three or more, or before an empty place. */
const HOLES = `[...document.querySelectorAll('.figures')].flatMap((strip) => {
  const rows = Object.values(Object.groupBy(strip.children, (figure) => figure.offsetTop));
  const edge = strip.getBoundingClientRect().right;
  const isWhole = (row) => Math.abs(row.at(-1).getBoundingClientRect().right - edge) < 3;
  const isAlone = (row) => row.length === 1 && rows.some((other) => other.length > 2);
  return rows.filter((row) => !isWhole(row) || isAlone(row)).map((row) => row[0].textContent.trim());
})`;

/** Asserts that the current page is no wider than the screen, and breaks or cuts no word and no number of a table or a strip of figures. */
export async function assertFitScreen(place: Page | Frame, what = place.url()): Promise<void> {
  assert.equal(await place.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${what} is too wide`);
  assert.deepEqual(await place.evaluate<string[]>(BROKEN_WORDS), [], `${what} breaks words`);
  assert.deepEqual(await place.evaluate<string[]>(CUT_FIGURES), [], `${what} cuts what its tables say`);
}

/** Puts figures of this many digits in place of those of tables and strips. */
export async function enlargeFigures(place: Page | Frame, digits: 7 | 11): Promise<void> {
  await place.evaluate(`(${ENLARGE})('${digits === 7 ? '4,567,890' : '45,678,901,234'}')`);
}

const ENLARGE = String.raw`(figure) => {
  for (const part of document.querySelectorAll('.data .number, .data .change, .figure dd')) {
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      if (!text.parentElement.closest('time, code, bdi')) text.data = text.data.replaceAll(/\d[\d,.]*/g, figure);
    }
  }
}`;

/**
 * What a table or a strip says and nobody can read: it leaves its cell, or it is beyond the edge of something that cuts it off. Where that
 * scrolls it is readable, if the place takes the focus, has a name and shows that more follows. A script marks it after the layout, so this
 * looks in the second frame from now.
 */
const CUT_FIGURES = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => [...document.querySelectorAll('.data :is(th, td), .figure > *')].flatMap((cell) => {
  if (!cell.checkVisibility() || cell.closest('.visually-hidden') || cell.textContent.trim() === '') return [];
  const style = getComputedStyle(cell.closest('thead') ?? cell);
  // On a phone a list has no head for the eye.
  if (style.clipPath !== 'none') return [];
  const said = cell.textContent.trim().slice(0, 40);
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  let [left, right] = [Infinity, -Infinity];
  while (texts.nextNode()) {
    // What is copied may end in an ellipsis.
    if (texts.currentNode.parentElement.closest('.visually-hidden, .copyable')) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const line of range.getClientRects()) [left, right] = [Math.min(left, line.left), Math.max(right, line.right)];
  }
  const place = cell.getBoundingClientRect();
  if (right > place.right + 1 || left < place.left - 1) return [said + ' leaves its cell'];
  for (let around = cell.parentElement; around !== document.body; around = around.parentElement) {
    if (getComputedStyle(around).overflowX === 'visible') continue;
    const edge = around.getBoundingClientRect();
    if (right <= edge.right + 1 && left >= edge.left - 1) continue;
    const more = around.dataset.more ?? '';
    const isMarked = more.includes(right > edge.right + 1 ? 'end' : 'start') && around.tabIndex === 0 && around.ariaLabel;
    return isMarked ? [] : [said + ' is cut by ' + around.className];
  }
  return [];
}))`;

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
