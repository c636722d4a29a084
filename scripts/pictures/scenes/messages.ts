import type { Page } from 'playwright-core';
import { messageForStatus, messagePage } from '../../../src/web/message-page.ts';
import { pageHeaders } from '../../../src/web/send-page.ts';
import { renderPage } from '../../../src/web/shell.ts';
import type { Words } from '../../../src/words/words.ts';
import { type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** An error that the healthy service has no address for: its page, with the service's own styles. */
const failing = (status: number, inline: boolean) => async (page: Page, world: World, words: Words) => {
  const address = `${world.origin}/failing/${status}`;
  const message = messagePage(words, { inline }, messageForStatus(words, status), world.app.shell);
  const body = String(await renderPage(world.app.shell, message, { words, framed: false, runsScripts: false }));
  const answer = { status, headers: { ...pageHeaders({}), 'content-type': 'text/html; charset=utf-8' }, body };
  await page.route(address, (route) => route.fulfill(answer));
  await page.goto(address);
};

const SCENES: Record<string, Scene['open']> = {
  404: (page, world) => page.goto(`${world.origin}/account/nothing-here`),
  '404, of another place': (page, world) => page.goto(`${world.origin}/nothing-here`),
  '400': failing(400, false),
  '401 expired': failing(401, false),
  '401 expired, inline': failing(401, true),
  '403 foreign form': failing(403, false),
  429: failing(429, false),
  500: failing(500, false),
  503: failing(503, false),
};

const HOME: Record<string, Scene['open']> = {
  'home, signed out': (page, world) => page.goto(`${world.origin}/`),
};

export const MESSAGE_SCENES: readonly Scene[] = [
  ...scenesOf('messages', HOME),
  ...scenesOf('messages', SCENES, { refuses: true }),
];
