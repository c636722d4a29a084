import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { alive, descendants, runScript } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const holder = new URL('holds-embedded.ts', import.meta.url);

test('kill -9 leaves no process of the embedded parts, and the next start on the folder works', async (t) => {
  const folder = join(await scratchFolder(t), 'data');
  for (const round of [1, 2]) {
    const parent = await runScript(t, holder, [folder]);
    const { database } = JSON.parse(parent.line);
    const client = new pg.Client(database);
    client.on('error', () => {});
    await client.connect();
    if (round === 1) await client.query('CREATE TABLE kept AS SELECT 7 AS seven');
    assert.deepEqual((await client.query('SELECT seven FROM kept')).rows, [{ seven: 7 }]);
    const all = descendants(parent.pid);
    assert.ok(all.length >= 5, 'node, database with its processes, two watchdogs');
    process.kill(parent.pid, 'SIGKILL');
    // The second start begins at once, while the watchdogs are still running.
    if (round === 2) await until('all are gone', () => alive(all).length === 0);
    await client.end().catch(() => {});
  }
});
