import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { findWrongNames } from '../../scripts/named-tests.ts';

const ROOT = resolve(import.meta.dirname, '../..');

for (const path of ['docs/inside/settlement.md', 'docs/inside/security.md', 'docs/inside/asvs.md']) {
  test(`every test that ${path} names exists, in the tier that it says`, () => {
    const cwd = join(ROOT, 'test');
    const files = globSync('**/*.test.ts', { cwd });
    const sources = new Map(files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(cwd, file), 'utf8')]));
    const doc = readFileSync(join(ROOT, path), 'utf8');
    assert.deepEqual(findWrongNames(doc, sources), []);
    // Makes sure that the check finds the table.
    assert.notDeepEqual(findWrongNames(doc, new Map()), []);
    assert.match(doc, /\(test:all\)[^|]*`npm run test:all`/, 'the mark is explained');
  });
}

describe('a test that a document names', () => {
  const sources = new Map([
    [
      'race/a.test.ts',
      `test('one lives', () => {});\ntest(\n  \`two of \${count} live: \${name}\`, () => {});\nit('one more', f);`,
    ],
    ['race/b.deep.test.ts', `describe("it's deep", () => {});`],
  ]);
  const cases: [name: string, cell: string, wrong: RegExp | null][] = [
    ['is found by its file', 'race/a', null],
    ['is found by its file between backticks', '`race/a`, `race/a`', null],
    ['is found by its name', 'race/a: "one lives"', null],
    ['is found by a part of its name', 'race/a: "two of … live …"; race/b: "it\'s deep" (test:all)', null],
    ['is found by its file where it is deep', '`race/b` (test:all)', null],
    ['is as many as are said', 'race/a: "one …" (two)', null],
    ['is missing with its file', 'race/c', /^race\/c is not there/],
    ['is missing with its name', 'race/a: "one lives", "one"', /^race\/a: "one" is not there/],
    ['is fewer than are said', 'race/a: "one …" (three)', /is named as three, and is 2/],
    ['is more than one', 'race/a: "one …"', /is named as one, and is 2/],
    ['is deep without a mark', 'race/b: "it\'s deep"', /needs \(test:all\)/],
    ['is deep as a file without a mark', 'race/b', /needs \(test:all\)/],
    ['is marked, and usual', 'race/a: "one lives" (test:all)', /has no \(test:all\)/],
  ];
  for (const [name, cell, wrong] of cases) {
    test(name, () => {
      const found = findWrongNames(`| Case | Tests |\n|---|---|\n| first | ${cell} |\n\nrace/nothing`, sources);
      if (wrong) assert.match(found.join('\n'), wrong);
      assert.equal(found.length, wrong ? 1 : 0, found.join('\n'));
    });
  }
});
