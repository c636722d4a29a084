import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import {
  isInHistory,
  levelFaults,
  migrationsIn,
  type ReleaseEntry,
  readReleases,
  unsaidLevels,
} from '../../scripts/releases.ts';
import { RELEASE } from '../../src/config/release.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('the migrations since the latest release roll, or raise the level of compatibility', () => {
  const migrations = new Map(migrationsIn(ROOT).map((name) => [name, read(`migrations/${name}`)]));
  assert.deepEqual(levelFaults(readReleases(ROOT), RELEASE.compatibility, migrations), []);
});

test('a migration that neither rolls nor raises the level is found, and so is a level that nothing raised', () => {
  const released: ReleaseEntry = { version: '1.0.0', date: '', compatibility: 4, commit: 'c', migration: '0001_a.sql' };
  const faults = (level: number, sql: string) =>
    levelFaults(
      [released],
      level,
      new Map([
        ['0001_a.sql', ''],
        ['0002_b.sql', sql],
      ]),
    );
  assert.deepEqual(faults(4, '-- Rolls: earlier releases do not name the column.\nALTER …'), []);
  assert.deepEqual(faults(5, '-- Moves rows.\nUPDATE compatibility SET level = 5;'), []);
  assert.match(faults(4, 'ALTER …').join(), /^0002_b\.sql must begin with/);
  assert.match(faults(5, '-- Rolls: x').join(), /says level 5, and the migrations lead to level 4/);
  assert.match(
    faults(4, 'UPDATE compatibility SET level = 5;').join(),
    /says level 4, and the migrations lead to level 5/,
  );
  assert.match(faults(6, 'UPDATE compatibility SET level = 6;').join(), /The next one is 5/);
});

test('the change log says "does not roll" of each release that raises the level', () => {
  assert.deepEqual(unsaidLevels(readReleases(ROOT), read('CHANGELOG.md')), []);
  const entry = (version: string, compatibility: number): ReleaseEntry => ({
    version,
    date: '',
    compatibility,
    commit: null,
    migration: null,
  });
  const log = '## 1.2.0 - 2026-01-03\nFaster.\n\n## 1.1.0 - 2026-01-02\nThis release does not roll.\n';
  const releases = [entry('1.0.0', 1), entry('1.1.0', 2), entry('1.2.0', 3), entry('1.3.0', 3)];
  assert.deepEqual(unsaidLevels(releases, log), ['1.2.0']);
});

test('the commit of each release is in the history, so that its tests can be run', (t) => {
  for (const { version, commit } of readReleases(ROOT)) {
    if (commit === null) continue;
    const found = isInHistory(ROOT, commit);
    if (found === null) return t.skip('this copy lacks a part of the history');
    assert.ok(found, `${version}: ${commit} is not a commit of this history. Record it again (scripts/release.ts).`);
  }
});

test('every place that names the version names the same, and the change log has it', () => {
  const { version } = JSON.parse(read('sdk/package.json')) as { version: string };
  const lock = JSON.parse(read('package-lock.json')) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  const named = [version, lock.version, lock.packages['']!.version, readReleases(ROOT).at(-1)!.version];
  assert.deepEqual(named, Array(4).fill(RELEASE.version));
  assert.match(read('CHANGELOG.md'), new RegExp(`^## ${RELEASE.version} - \\d{4}-\\d\\d-\\d\\d$`, 'm'));
});
