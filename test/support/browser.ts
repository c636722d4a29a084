import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { atEnd } from './at-end.ts';

/** The first is Chromium without windows, which loads pages with a third of the work. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * The features of `--test-third-party-cookie-phaseout`. Headless shell does not know the flag, and Playwright switches
 * one of them off.
 */
const NO_THIRD_PARTY_COOKIES = ['ForceThirdPartyCookieBlockingEnabled', 'ThirdPartyStoragePartitioning'];
/** Other features that Playwright switches off: this list replaces its own. */
const FEATURES_OFF = [
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

/** The Chromium of this machine: `CHROMIUM_PATH`, or else the first of these names on PATH; null if there is none. */
function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named) return isExecutable(named) ? named : null;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
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

/** For `test(name, { skip: NO_BROWSER }, …)`: false, or why browser tests are skipped. */
export const NO_BROWSER: string | false =
  findChromium() === null && 'no Chromium found: install one, or set CHROMIUM_PATH';

/** Far longer than the busiest machine needs: what a page does not show by then it never shows. */
const PATIENCE_MS = 5 * 60_000;

/** A Chromium of its own. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: findChromium()!, args: FLAGS, timeout: PATIENCE_MS });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

let running: Promise<Browser> | undefined;
after(async () => (await running)?.close());

/** A Chromium without open pages, whose profiles end with the test; it ends with this process. */
export async function startBrowser(t: TestContext): Promise<Browser> {
  running ??= launchBrowser();
  const browser = await running;
  atEnd(t, () => Promise.all(browser.contexts().map((context) => context.close())));
  return browser;
}
