/**
 * Counts the words of documents, as `wc -w` does: tables and code included. It fails if what a newcomer reads is too long, if a page of it does not
 * lead to the next one, or if all of docs is too long. `--all` lists every page.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** What a newcomer reads, in this order. */
const PATH = [
  'README.md',
  ...['how-it-works', 'tutorial', 'test', 'going-live'].map((name) => `docs/integrate/${name}.md`),
];
const MOST_ON_PATH = 5_000;
const ALL = ['docs/**/*.md'];
const MOST_OF_ALL = 70_000;

const ROOT = resolve(import.meta.dirname, '..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const wordsOf = (page: string) =>
  read(page)
    .split(/\s+/)
    .filter((word) => word !== '').length;

check('What a newcomer reads', PATH, MOST_ON_PATH);
check('All of docs', globSync(ALL, { cwd: ROOT }).toSorted(), MOST_OF_ALL);

for (const [at, page] of PATH.slice(0, -1).entries()) {
  const links = [...read(page).matchAll(/\]\(([^)\s#]+)/g)].map(([, link = '']) => join(dirname(page), link));
  if (!links.includes(PATH[at + 1]!)) fail(`${page} does not lead to ${PATH[at + 1]}.`);
}

function check(what: string, pages: readonly string[], most: number): void {
  const words = pages.reduce((sum, page) => sum + wordsOf(page), 0);
  if (process.argv.includes('--all')) {
    for (const page of pages) console.log(`${page}: ${wordsOf(page)}`);
    console.log(`${what}: ${words} of ${most} words.`);
  }
  if (words > most) fail(`${what}: ${words} words, and at most ${most} are allowed.`);
}

function fail(reason: string): void {
  console.error(reason);
  process.exitCode = 1;
}
