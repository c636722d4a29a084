import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { copiedPostgres, installedPostgres } from '../../local/postgres/binaries.ts';
import { startEmbeddedPostgres } from '../../local/postgres/postgres.ts';
import { alive, descendants, runScript } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

const root = process.getuid?.() === 0;
const nobody = 65534;
const script = new URL('../embedded/holds-embedded.ts', import.meta.url);
/** False in a clone below a private home. */
const nobodyReachesUs =
  root && spawnSync('/usr/bin/env', ['test', '-r', script.pathname], { uid: nobody, gid: nobody }).status === 0;

async function start(t: TestContext, dataDir: string) {
  const server = await startEmbeddedPostgres({ dataDir, fast: true });
  t.after(() => server.stop());
  return server;
}

async function rows(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

test('a new database is UTF-8, sorts by code point, listens on loopback only and comes back after kill -9', async (t) => {
  const dataDir = await scratchFolder(t);
  const first = await start(t, dataDir);
  assert.deepEqual(await rows(first.url, "SELECT x FROM unnest(array['b','B','a','é','z']) x ORDER BY x"), [
    ['B'],
    ['a'],
    ['b'],
    ['z'],
    ['é'],
  ]);
  assert.deepEqual(await rows(first.url, 'SHOW server_encoding'), [['UTF8']]);
  assert.deepEqual(await rows(first.url, 'SHOW listen_addresses'), [['127.0.0.1']]);
  assert.equal((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777, 0o600);
  await assert.rejects(rows(first.url.replace(/:[0-9a-f]{64}@/, ':wrong@'), 'SELECT 1'), { code: '28P01' });

  await rows(first.url, 'CREATE TABLE kept AS SELECT 7 AS seven');
  const cluster = join(dataDir, 'postgres', 'cluster');
  process.kill(Number((await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')[0]), 'SIGKILL');
  assert.equal((await first.exited).signal, 'SIGKILL');
  const second = await start(t, dataDir);
  assert.deepEqual(await rows(second.url, 'SELECT seven FROM kept'), [[7]]);
  await second.stop();

  // The pid of the killed server now belongs to another process of the same user.
  const { uid, gid } = await stat(cluster);
  const other = spawn('/bin/sleep', ['300'], { uid, gid, stdio: 'ignore' });
  t.after(() => other.kill('SIGKILL'));
  const pidFile = join(cluster, 'postmaster.pid');
  await writeFile(pidFile, `${other.pid}\n${cluster}\n1700000000\n5432\n\n127.0.0.1\n  1 1\nready\n`, { mode: 0o600 });
  await chown(pidFile, uid, gid);
  const third = await start(t, dataDir);
  assert.deepEqual(await rows(third.url, 'SELECT seven FROM kept'), [[7]]);
  await third.stop();

  await writeFile(join(cluster, 'PG_VERSION'), '15\n');
  await assert.rejects(startEmbeddedPostgres({ dataDir }), /created by PostgreSQL 15, .* has 18/);
  assert.equal(await readFile(join(cluster, 'PG_VERSION'), 'utf8'), '15\n');
});

test('a server that gets SIGTERM ends without waiting for its clients', async (t) => {
  const dataDir = await scratchFolder(t);
  const server = await start(t, dataDir);
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGTERM');
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  await client.end().catch(() => {});
});

test('the files of an interrupted initdb are removed', async (t) => {
  const dataDir = await scratchFolder(t);
  const part = join(dataDir, 'postgres', 'cluster-part-abc');
  await mkdir(join(part, 'data', 'base'), { recursive: true });
  await writeFile(join(part, 'data', 'PG_VERSION'), '18\n');
  const server = await start(t, dataDir);
  assert.deepEqual(await rows(server.url, 'SELECT 1'), [[1]]);
  await assert.rejects(stat(part), { code: 'ENOENT' });
});

test('as root, the database is placed outside a data folder that the system user cannot reach', {
  skip: !root,
}, async (t) => {
  const home = join(await scratchFolder(t), 'home');
  await mkdir(home, { mode: 0o700 });
  const dataDir = join(home, 'data');
  const messages: string[] = [];
  const server = await startEmbeddedPostgres({ dataDir, fast: true, log: (message) => messages.push(message) });
  const place = (await readFile(join(dataDir, 'postgres', 'place'), 'utf8')).trim();
  t.after(async () => {
    await server.stop();
    await rm(place, { recursive: true });
    await rmdir(dirname(place)).catch(() => {});
  });
  assert.ok(messages.length === 1 && messages[0]!.includes(place), messages.join());
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  assert.deepEqual(await rows(server.url, 'SELECT 1'), [[1]]);
});

test('without root, the database is in the data folder', { skip: !nobodyReachesUs }, async (t) => {
  const folder = await scratchFolder(t);
  await chown(folder, nobody, nobody);
  const parent = await runScript(t, script, [join(folder, 'data')], { uid: nobody, gid: nobody });
  assert.deepEqual(await rows(JSON.parse(parent.line).database, 'SELECT 1'), [[1]]);
  assert.equal((await stat(join(folder, 'data', 'postgres', 'cluster'))).uid, nobody);
  const all = descendants(parent.pid);
  process.kill(parent.pid, 'SIGKILL');
  await until('all are gone', () => alive(all).length === 0);
});

test('two starts may copy the binaries at once, and the copy runs for another user', async (t) => {
  const folder = await scratchFolder(t);
  const native = await installedPostgres();
  const [one, two] = await Promise.all([copiedPostgres(native, folder), copiedPostgres(native, folder)]);
  assert.equal(one, two);
  const user = root ? { uid: nobody, gid: nobody } : {};
  const version = spawn(join(one, 'bin', 'postgres'), ['--version'], { ...user, stdio: 'ignore' });
  assert.deepEqual(await once(version, 'exit'), [0, null]);
});
