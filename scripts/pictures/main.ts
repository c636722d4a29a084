/**
 * `npm run pictures`: photographs every page of the real service, in its states, on a phone and on a desktop, in light and in dark
 * colours. The pictures and their contact sheets are in data/pictures. `npm run pictures -- guest` takes those whose name contains it;
 * `-- --write` also writes the pictures in the documents. `-- --language de` takes the players' pages in that language on a phone, and says
 * which of them axe complains of, are wider than the screen or have a button of two lines.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { languageOf, languagesWith } from '../../src/words/languages.ts';
import { launchBrowser } from '../../test/kit/browser/browser.ts';
import { globalSetup } from '../../test/kit/service/global-setup.ts';
import type { Ending } from '../../test/kit/unit/at-end.ts';
import { en } from '../../words/en.ts';
import { looksOf, photograph } from './camera.ts';
import { PLAYERS_SCENES, SCENES } from './scenes.ts';
import { writeDocumented, writeSheets } from './sheets.ts';
import { setWorld } from './world.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'data/pictures');
const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean' }, language: { type: 'string', default: 'en' } },
  allowPositionals: true,
});
const [wanted = ''] = positionals;
if (values.write && (wanted !== '' || values.language !== 'en'))
  throw new Error('--write needs all pictures: leave the name out.');
const words = languageOf(languagesWith('en'), values.language);
if (!words) throw new Error(`There is no language ${values.language}.`);
const scenes = (words === en ? SCENES : PLAYERS_SCENES).filter(({ name }) => name.includes(wanted));
if (scenes.length === 0) throw new Error(`No scene has “${wanted}” in its name.`);

const endings: (() => unknown)[] = [];
const ending: Ending = { after: (cleanUp) => void endings.push(cleanUp) };
const began = performance.now();
let failed: readonly string[] = [];
try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  endings.push(await globalSetup());
  const browser = await launchBrowser();
  endings.push(() => browser.close());
  const world = await setWorld(ending);
  failed = await photograph(browser, world, scenes, folder, words);
  await writeSheets(browser, scenes, folder, looksOf(words));
  if (values.write && failed.length === 0) await writeDocumented(browser, folder, join(root, 'docs/inside/pictures'));
} finally {
  for (const line of failed) console.error(line);
  for (const end of endings.reverse()) await end();
}
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${scenes.length - failed.length} of ${scenes.length} pages in ${seconds} s: ${join(folder, 'index.html')}`,
);
// The tests' support has registered hooks of a test runner, which would report on no tests.
process.exit(failed.length > 0 ? 1 : 0);
