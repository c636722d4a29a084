/**
 * Measures the sentences of each page in docs, and of the README files and guides elsewhere. A page whose sentences average
 * 18 words or more is hard to read, so it fails. `--all` lists every page. `--long` lists the longest sentences too.
 *
 * Code blocks, tables and headings do not count. Code within a sentence counts as one word. A list item begins a new sentence.
 */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The average that a page must stay below. */
const LIMIT = 18;

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

for (const page of globSync(PAGES, { cwd: ROOT }).toSorted()) {
  // A change log is a list of changes, in the words of their day. A licence is not ours to word.
  if (/(^|\/)(CHANGELOG|LICENSE)\.md$/.test(page)) continue;
  const sentences = sentencesIn(readFileSync(resolve(ROOT, page), 'utf8'));
  const words = sentences.reduce((sum, sentence) => sum + countWords(sentence), 0);
  const average = words / Math.max(sentences.length, 1);
  const tooLong = average >= LIMIT;
  const line = `${page}: ${sentences.length} sentences of ${average.toFixed(1)} words on average.`;
  if (tooLong) {
    console.error(`${line} It must stay below ${LIMIT}.`);
    process.exitCode = 1;
  } else if (process.argv.includes('--all')) {
    console.log(line);
  }
  if (process.argv.includes('--long')) {
    for (const long of sentences.filter((sentence) => countWords(sentence) > 25)) console.log(`  ${page}: ${long}`);
  }
}

function sentencesIn(markdown: string): string[] {
  const prose = markdown
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .replaceAll(/^(?:\||#|<!--).*$/gm, '')
    .replaceAll(/`[^`]*`/g, 'code')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|<[^>]+>/g, '');
  return prose
    .split(/\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+|(?<=[.!?][”")]*)\s+(?=[“"(]*[\p{Lu}\d])|(?<=[.!?])\s+(?=code)/u)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => countWords(sentence) > 0);
}

function countWords(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;
}
