import { accessSync, constants } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ENTRY } from '../run/entry.ts';
import { patienceMs } from '../run/patience.ts';
import { currentTier } from '../run/tier.ts';
import { oneInTurn } from '../run/turns.ts';
import { atEnd } from '../unit/at-end.ts';

/** Chromium without windows, which loads pages with a third of the work, and the one that people have. */
const KINDS = [['chromium-headless-shell'], ['chromium', 'chromium-browser', 'google-chrome']];

/**
 * The features of `--test-third-party-cookie-phaseout`. Headless shell does not know the flag, and Playwright switches
 * one of them off.
 */
const NO_THIRD_PARTY_COOKIES = ['ForceThirdPartyCookieBlockingEnabled', 'ThirdPartyStoragePartitioning'];
/** The other features that Playwright switches off, because this list replaces its own, and one more. */
const FEATURES_OFF = [
  // A process started ahead of each page: a tenth of the browser tests' processor time, for nothing.
  'SpareRendererForSitePerProcess',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
];

/**
 * No window, no sandbox (containers), no calls to the vendor, and cookies as in browsers that block those of third
 * parties.
 */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--enable-features=${NO_THIRD_PARTY_COOKIES.join()}`,
  `--disable-features=${FEATURES_OFF.join()}`,
];

/** A Chromium of this machine. `name` is for the names of tests. */
export type InstalledBrowser = { readonly name: string; readonly path: string };

const INSTALLED: readonly InstalledBrowser[] = findBrowsers().map((path) => ({ name: basename(path), path }));

/**
 * The browsers to try where what they do differs: apps' own schemes, prompts, passkeys. Each is one test of its own. Everywhere else
 * the light one is enough, which is what `startBrowser` starts. A whole run of the usual tier tries one of them in each folder, in turn,
 * because the one that people have takes three times as long.
 */
export const BROWSERS = oneInTurn(INSTALLED, `browsers of ${ENTRY}`);

/**
 * Whether to try what has been tried in the first browser, and can hardly end in another way in this one. `npm run test:all`
 * does.
 */
export const isTriedFully = (installed: InstalledBrowser): boolean =>
  installed === BROWSERS[0] || currentTier() === 'all';

/** `CHROMIUM_PATH` alone, or else one of each kind on PATH, the light one first. */
function findBrowsers(): string[] {
  const named = process.env.CHROMIUM_PATH;
  if (named) return [named].filter(isExecutable);
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return KINDS.flatMap((names) => {
    const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
    return candidates.find(isExecutable) ?? [];
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** For `test(name, { skip: NO_BROWSER }, …)`: false, or why browser tests are skipped. */
export const NO_BROWSER: string | false =
  INSTALLED.length === 0 && 'no Chromium found: install one, or set CHROMIUM_PATH';

/** A start reads much from the disk, while other tests keep it busy. */
const LAUNCH_MS = 5 * 60_000;

/** A Chromium of its own. The caller closes it. */
export async function launchBrowser({ path } = INSTALLED[0]!): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: path, args: FLAGS, timeout: LAUNCH_MS });
  browser.on('context', (context) => context.setDefaultTimeout(patienceMs()));
  return browser;
}

const running = new Map<InstalledBrowser, Promise<Browser>>();
after(async () => {
  for (const browser of running.values()) await (await browser).close();
});

/** A Chromium without open pages, whose profiles end with the test; it ends with this process. */
export async function startBrowser(t: TestContext, installed = INSTALLED[0]!): Promise<Browser> {
  if (!running.has(installed)) running.set(installed, launchBrowser(installed));
  const browser = await running.get(installed)!;
  atEnd(t, () => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}

/**
 * Does what closes `window`, and waits until it is closed. What is done may fail because the window closes: Playwright
 * still asks the page what a click led to.
 */
export async function closesBy(window: Page, act: () => Promise<unknown>): Promise<void> {
  const [closed, acted] = await Promise.allSettled([window.waitForEvent('close'), act()]);
  if (closed.status === 'fulfilled') return;
  throw new Error('The window does not close', { cause: acted.status === 'rejected' ? acted.reason : closed.reason });
}

/** Awaits an event of a page. If it never comes, says which one: Playwright names only its kind. */
export async function comes<T>(what: string, event: Promise<T>): Promise<T> {
  try {
    return await event;
  } catch (error) {
    throw new Error(`Waited in vain for: ${what}`, { cause: error });
  }
}
