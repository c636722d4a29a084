import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RELEASE } from '../../src/config/release.ts';
import { openDatabase } from '../../src/db/database.ts';
import { enterDatabase, type Membership } from '../../src/membership/membership.ts';
import { listProcesses, newProcess } from '../../src/membership/processes.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';

/** This program's, and that of a later one. */
const LEVELS = [RELEASE.compatibility, RELEASE.compatibility + 1] as const;

test('of processes of two levels that start at once, only those of one level enter', async (t) => {
  const url = await createDatabase(t);
  const db = openDatabase(url);
  atEnd(t, () => db.close());
  for (let round = 0; round < 4; round++) {
    const starts = [...LEVELS, ...LEVELS].map((compatibility) =>
      enterDatabase(url, () => {}, newProcess({ version: `${compatibility}.0.0`, compatibility })),
    );
    const results = await Promise.allSettled(starts);
    const entered: Membership[] = [];
    for (const result of results) if (result.status === 'fulfilled') atEnd(t, result.value.leave);
    for (const result of results) {
      if (result.status === 'fulfilled') entered.push(result.value);
      else
        assert.match(String(result.reason), /cannot run beside the version that runs on this database: \d\.0\.0 on /);
    }
    assert.equal(entered.length, 2);
    assert.equal(new Set(entered.map(({ self }) => self.compatibility)).size, 1);
    assert.equal((await listProcesses(db)).length, 2);
    await Promise.all(entered.map(({ leave }) => leave()));
    assert.deepEqual(await listProcesses(db), []);
  }
});

test('of two levels that start on an empty database, only one enters', async (t) => {
  const url = await createDatabase(t, 'template0');
  const results = await Promise.allSettled(
    LEVELS.map((compatibility) => enterDatabase(url, () => {}, newProcess({ version: '1', compatibility }))),
  );
  const entered = results.filter((result) => result.status === 'fulfilled');
  for (const { value } of entered) atEnd(t, value.leave);
  assert.equal(entered.length, 1, String(results.map((result) => result.status === 'rejected' && result.reason)));
});
