/**
 * Runs before `npm test`, because the tests of the pages need a Chromium. With CI=true or QUARTERS_INSTALL_CHROMIUM=1 it
 * installs one (as root on a Debian-like system); it never changes a machine unasked. Otherwise it says in one line how to
 * get one. It never fails: without Chromium those tests are skipped.
 */
import { aptGet, canInstall, isExecutable, isOnPath, mayInstall } from './apt.mjs';

/**
 * Chromium without windows takes a third of the resources, and one browser is enough. If Chromium with windows is here too, a few
 * tests try both.
 */
const LIGHT = 'chromium-headless-shell';
const NAMES = [LIGHT, 'chromium', 'chromium-browser', 'google-chrome'];

const say = (text) => process.stderr.write(`${text}\n`);

function hasChromium() {
  const named = process.env.CHROMIUM_PATH;
  return named ? isExecutable(named) : NAMES.some(isOnPath);
}

function installChromium() {
  say('Installing Chromium for the tests of the pages (once; about a minute) …');
  const install = (name) => aptGet('install', '-y', '--no-install-recommends', name);
  return aptGet('update') && (install(LIGHT) || install('chromium')) && hasChromium();
}

const named = process.env.CHROMIUM_PATH;
const asked = !named && mayInstall('QUARTERS_INSTALL_CHROMIUM');

function whatToDo() {
  if (named) return `CHROMIUM_PATH names ${named}, which is not an executable file.`;
  const byHand = 'install Chromium or Chrome, or set CHROMIUM_PATH to one';
  return canInstall() && !asked
    ? `run \`QUARTERS_INSTALL_CHROMIUM=1 npm test\` to have apt-get install Chromium, ${byHand}.`
    : `${byHand}.`;
}

if (!hasChromium() && !(asked && installChromium())) {
  say(`The tests that need a browser are skipped: ${whatToDo()}`);
}
