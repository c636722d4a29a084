/**
 * Runs before `npm test`, because the tests of the pages need a Chromium. With CI=true or QUARTERS_INSTALL_CHROMIUM=1 it
 * installs one (as root on a Debian-like system); it never changes a machine unasked. Otherwise it says in one line how to
 * get one. It never fails: without Chromium those tests are skipped.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Chromium without windows. The tests need no more, and it takes a third of the resources. */
const LIGHT = 'chromium-headless-shell';
const NAMES = [LIGHT, 'chromium', 'chromium-browser', 'google-chrome'];
const TEN_MINUTES = 600_000;

const say = (text) => process.stderr.write(`${text}\n`);

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));
}

function hasChromium() {
  const named = process.env.CHROMIUM_PATH;
  return named ? isExecutable(named) : NAMES.some(isOnPath);
}

function aptGet(...args) {
  const result = spawnSync('apt-get', ['-qq', ...args], {
    stdio: 'ignore',
    timeout: TEN_MINUTES,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return result.status === 0;
}

function installChromium() {
  say('Installing Chromium for the tests of the pages (once; about a minute) …');
  const install = (name) => aptGet('install', '-y', '--no-install-recommends', name);
  return aptGet('update') && (install(LIGHT) || install('chromium')) && hasChromium();
}

const named = process.env.CHROMIUM_PATH;
const canInstall = !named && process.getuid?.() === 0 && isOnPath('apt-get');
const mayInstall = canInstall && (process.env.CI === 'true' || process.env.QUARTERS_INSTALL_CHROMIUM === '1');

function whatToDo() {
  if (named) return `CHROMIUM_PATH names ${named}, which is not an executable file.`;
  const byHand = 'install Chromium or Chrome, or set CHROMIUM_PATH to one';
  return canInstall && !mayInstall
    ? `run \`QUARTERS_INSTALL_CHROMIUM=1 npm test\` to have apt-get install Chromium, ${byHand}.`
    : `${byHand}.`;
}

if (!hasChromium() && !(mayInstall && installChromium())) {
  say(`The tests that need a browser are skipped: ${whatToDo()}`);
}
