/**
 * Checks that each link from one document to another leads to a file that exists, and to a heading that the file has. Checks too
 * that each path that a document names exists: a folder as `src/api`, a file also by the end of its path, as `oauth/library.ts`. And
 * the documents that messages, alerts, deployment files and tests name, with their headings; a test may name them in a regular
 * expression. And that what says that something was not tried or built links the list of all such things.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = [
  '*.md',
  'docs/**/*.md',
  'sdk/{,csharp/,emulator/}*.md',
  'local/*/*.md',
  'sdk/csharp/Documentation~/*.md',
  'examples/*/*.md',
  'src/{*,wings/*}/README.md',
];
const ROOMS = '{bench,bin,contracts,docs,examples,local,migrations,scripts,sdk,src,test,words}';
const NAMED_PATH = /^(?:[\w-][\w./-]*\.(?:js|mjs|sol|sql|ts)|(?:local|scripts|src|test)\/[\w./-]*)$/;

const LIST = 'docs/inside/limits.md';
const MISSING = /\b(?:not|never|none)\b[^.:|]{0,25}\b(?:tried|tested|built)\b|\buntested\b|\bmissed\b/i;

const paths = [ROOMS, `${ROOMS}/**`].flatMap((pattern) => globSync(pattern, { cwd: ROOT }));

for (const page of globSync(PAGES, { cwd: ROOT }).toSorted()) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(link)) continue;
    const [path, anchor] = link.split('#');
    const target = path ? join(ROOT, dirname(page), path) : join(ROOT, page);
    if (existsSync(target) && (!anchor || anchorsOf(target).includes(anchor))) continue;
    console.error(`${page}: the link ${link} leads nowhere.`);
    process.exitCode = 1;
  }
  // The change log names what was there at the time.
  if (page === 'CHANGELOG.md') continue;
  // The figures are generated with their own reasons.
  for (const part of [LIST, 'docs/benchmarks.md'].includes(page) ? [] : text.split(/\n\n|\n(?=[|-] )/)) {
    if (!MISSING.test(part) || part.includes('inside/limits.md)')) continue;
    console.error(`${page}: "${MISSING.exec(part)?.[0]}" has to link ${LIST}, with a row there.`);
    process.exitCode = 1;
  }
  for (const [, code = ''] of text.matchAll(/`([^`\n]+)`/g)) {
    if (!NAMED_PATH.test(code) || exists(code.replace(/\/$/, ''))) continue;
    console.error(`${page}: there is no ${code}.`);
    process.exitCode = 1;
  }
}

const NAMING = ['{bin,scripts,src,test}/**/*.{mjs,ts}', '{deploy,monitoring}/**/*.*', 'compose.yaml', 'Dockerfile'];

for (const file of globSync(NAMING, { cwd: ROOT }).toSorted()) {
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\\([/.])/g, '$1');
  for (const [link, path = '', anchor] of text.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)) {
    const target = join(ROOT, path);
    if (existsSync(target) && (!anchor || anchorsOf(target).includes(anchor))) continue;
    console.error(`${file}: there is no ${link}.`);
    process.exitCode = 1;
  }
}

function exists(named: string): boolean {
  return paths.some((path) => `/${path.replaceAll('\\', '/')}`.endsWith(`/${named}`));
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(target: string): string[] {
  const text = readFileSync(target, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
