import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { atEnd } from './at-end.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** The same without windows of its own, for a third less work; but it knows nothing of blocking third-party cookies. */
const LIGHT = 'chromium-headless-shell';

/** No window, no sandbox (containers), and nothing that calls home. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium of this machine: `CHROMIUM_PATH`, else the first of these names on PATH; null where there is none. */
function findChromium(names = NAMES): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) return isExecutable(named) ? named : null;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** For `test(name, { skip: NO_BROWSER }, …)`: false, or why browser tests are left out. */
export const NO_BROWSER: string | false =
  findChromium() === null && 'no Chromium found: install one, or set CHROMIUM_PATH';

const running = new Map<string, Promise<Browser>>();
after(async () => {
  for (const browser of running.values()) await (await browser).close();
});

/** A Chromium in which nothing is open, and whose profiles end with the test; it ends with this process. `flags`: more of them. */
export async function startBrowser(t: TestContext, flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium(flags.length > 0 ? NAMES : [LIGHT, ...NAMES])!;
  const args = [...FLAGS, ...flags];
  const started = running.get(args.join()) ?? chromium.launch({ executablePath, args });
  running.set(args.join(), started);
  const browser = await started;
  atEnd(t, () => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}
