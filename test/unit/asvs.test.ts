import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

/** The requirements of levels 1 and 2 of OWASP ASVS 4.0.3: section → their numbers. */
const LEVEL_2: Readonly<Record<string, string>> = {
  '1.1': '1-7',
  '1.2': '1-4',
  '1.4': '1 4 5',
  '1.5': '1-4',
  '1.6': '1-4',
  '1.7': '1 2',
  '1.8': '1 2',
  '1.9': '1 2',
  '1.10': '1',
  '1.11': '1 2',
  '1.12': '2',
  '1.14': '1-6',
  '2.1': '1-12',
  '2.2': '1-3',
  '2.3': '1-3',
  '2.4': '1-6',
  '2.5': '1-7',
  '2.6': '1-3',
  '2.7': '1-6',
  '2.8': '1-7',
  '2.9': '1-3',
  '2.10': '1-4',
  '3.1': '1',
  '3.2': '1-4',
  '3.3': '1-4',
  '3.4': '1-5',
  '3.5': '1-3',
  '3.7': '1',
  '4.1': '1-3 5',
  '4.2': '1 2',
  '4.3': '1-3',
  '5.1': '1-5',
  '5.2': '1-8',
  '5.3': '1-10',
  '5.4': '1-3',
  '5.5': '1-4',
  '6.1': '1-3',
  '6.2': '1-6',
  '6.3': '1 2',
  '6.4': '1 2',
  '7.1': '1-4',
  '7.2': '1 2',
  '7.3': '1 3 4',
  '7.4': '1-3',
  '8.1': '1-4',
  '8.2': '1-3',
  '8.3': '1-8',
  '9.1': '1-3',
  '9.2': '1-4',
  '10.2': '1 2',
  '10.3': '1-3',
  '11.1': '1-8',
  '12.1': '1-3',
  '12.2': '1',
  '12.3': '1-6',
  '12.4': '1 2',
  '12.5': '1 2',
  '12.6': '1',
  '13.1': '1 3-5',
  '13.2': '1-3 5 6',
  '13.3': '1 2',
  '13.4': '1 2',
  '14.1': '1-4',
  '14.2': '1-6',
  '14.3': '2 3',
  '14.4': '1-7',
  '14.5': '1-4',
};

/** How an answer begins that needs no test. */
const UNTESTED = /^(\*\*(No|In part)\*\*: |Operator: )/;

const DOC = readFileSync(resolve(import.meta.dirname, '../../docs/inside/asvs.md'), 'utf8');
const ROWS = [...DOC.matchAll(/^\| (\d+\.\d+\.\d+[^|]*) \| ([^|]+) \| ([^|]*)\|$/gm)].map(([, ids, met, shown]) => ({
  ids: ids!,
  met: met!,
  shown: shown!,
}));

/** The headings of the lists say why these have no test. */
const LISTED = [...DOC.matchAll(/^- (\d+\.\d+\.\d+[^:]*): ./gm)].map(([, ids]) => ids!);

test('docs/inside/asvs.md answers each requirement of OWASP ASVS level 2 once', () => {
  const wanted = Object.entries(LEVEL_2).flatMap(([section, numbers]) =>
    numbers.split(' ').flatMap((range) => numbersIn(range, '-').map((number) => `${section}.${number}`)),
  );
  assert.equal(wanted.length, 260);
  const answered = [...ROWS.map(({ ids }) => ids), ...LISTED].flatMap((ids) => ids.split(', ').flatMap(idsIn));
  assert.deepEqual(answered.toSorted(byNumber), wanted.toSorted(byNumber));
});

test('each answer in docs/inside/asvs.md names a test or says why there is none', () => {
  const bare = ROWS.filter(({ met, shown }) => !/[a-z]+\/[a-z-]+/.test(shown) && !UNTESTED.test(met));
  assert.deepEqual(bare, []);
});

test('docs/inside/limits.md says how many requirements are not met, or in part', () => {
  const count = (answer: string) =>
    ROWS.filter(({ met }) => met.startsWith(`**${answer}**`)).flatMap(({ ids }) => ids.split(', ').flatMap(idsIn))
      .length;
  const said = `${count('No')} requirements are not met, and ${count('In part')} in part`;
  const limits = readFileSync(resolve(import.meta.dirname, '../../docs/inside/limits.md'), 'utf8');
  assert.ok(limits.includes(said), said);
});

/** Expands `2.1.1–2.1.4` to each number. */
function idsIn(range: string): string[] {
  const section = range.slice(0, range.split('–')[0]!.lastIndexOf('.'));
  return numbersIn(range.replaceAll(`${section}.`, ''), '–').map((number) => `${section}.${number}`);
}

function numbersIn(range: string, dash: string): number[] {
  const [first = 0, last = first] = range.split(dash).map(Number);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
