import type { Page } from 'playwright-core';
import type { Words } from '../../src/words/words.ts';
import { openFramed as frame } from '../../test/kit/browser/game-site.ts';
import { opens } from '../../test/kit/browser/own-scheme.ts';
import { createPerson, type Person } from '../../test/kit/service/people.ts';
import type { World } from './world.ts';

/** One page in one state. */
export type Scene = {
  /** `group/page and state`, which also names the files. */
  readonly name: string;
  readonly open: (page: Page, world: World, words: Words) => Promise<unknown>;
  /** Who is signed in. */
  readonly as?: (world: World) => Person | Promise<Person>;
  /** A window as tall as the screen, for a page over another one. Otherwise the whole page is in the picture. */
  readonly screenOnly?: boolean;
  /** The page says no, with a status of 4xx or 5xx. A form that is shown again with its mistakes does not. */
  readonly refuses?: boolean;
};

/** Scenes of one group: the key is the page and its state. */
export function scenesOf(
  group: string,
  scenes: Readonly<Record<string, Scene['open']>>,
  rest: Pick<Scene, 'as' | 'screenOnly' | 'refuses'> = {},
): Scene[] {
  return Object.entries(scenes).map(([name, open]) => ({ name: `${group}/${name}`, open, ...rest }));
}

/** Presses a button, when the page takes clicks. */
export async function press(page: Pick<Page, 'getByRole'>, name: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .first()
    .click();
}

/** Presses what opens an app beside the page, and returns to the page. */
export async function openAppAndReturn(page: Page, name: string): Promise<void> {
  await opens(page, () => press(page, name));
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
}

/** Lets the server check what the browser would refuse. */
export async function sendUnchecked(page: Page): Promise<void> {
  await page.locator('form').evaluateAll((forms) => {
    for (const form of forms) form.setAttribute('novalidate', '');
  });
}

/** Opens our page in a frame of a game's page. */
export async function openFramed(page: Page, { site }: World, url: string): Promise<void> {
  await frame(page, site, url);
  await page.addStyleTag({ content: 'body { margin: 0; background: #b9c4d6 } p { padding: 1rem; margin: 0 }' });
}

/** Each scene that registers an app signs in somebody new, because a developer has at most 20 apps. */
export function newDeveloper(world: World): Promise<Person> {
  return createPerson(world, { displayName: 'Dev' });
}

let addresses = 0;
export const newEmail = () => `player${++addresses}@mail.example`;
