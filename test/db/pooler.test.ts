import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { databaseFault } from '../../src/db/database-fault.ts';
import { type Pooler, poolerOf } from '../../src/db/pooler.ts';
import { freePort } from '../../src/http/listen.ts';
import { createDatabase } from '../kit/service/database.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { skipWithout } from '../kit/unit/debian-packages.ts';
import { until } from '../kit/unit/until.ts';

/** What docs/operate/start.md tells operators to set. */
const IGNORED = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

/** PgBouncer in front of a database. Returns the address to use. */
async function startPooler(
  t: TestContext,
  databaseUrl: string,
  mode: Pooler,
  { ignored = IGNORED, settings = '' } = {},
): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'quarters-test-'));
  chmodSync(folder, 0o755);
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const users = join(folder, 'users');
  const file = join(folder, 'pgbouncer.ini');
  const own = await freePort();
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    file,
    `[databases]\n* = host=${hostname} port=${port}\n
[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${users}
pool_mode = ${mode}\nignore_startup_parameters = ${ignored}\n${settings}\n`,
  );
  // It refuses to run as root.
  const child = spawn('pgbouncer', [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), '-q', file], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: `${own}` });
  await until('the pooler listens', async () => !/ECONNREFUSED/.test((await databaseFault(url.href)) ?? ''));
  return Object.assign(url, { pathname }).href;
}

test('without a pooler none is found', async (t) => {
  const url = await createDatabase(t);
  assert.deepEqual([await poolerOf(url), await databaseFault(url)], ['none', null]);
});

test('PgBouncer: sessions work, transactions and missing settings are refused', {
  skip: skipWithout('pgbouncer'),
}, async (t) => {
  const url = await createDatabase(t);
  const ofSessions = await startPooler(t, url, 'session');
  assert.deepEqual([await poolerOf(ofSessions), await databaseFault(ofSessions)], ['session', null]);
  const db = openDatabase(ofSessions);
  const heard = db.hearOthers();
  await db.transaction(({ query }) => query('SELECT 1 AS one'));
  await heard.close();
  await db.close();

  const ofTransactions = await startPooler(t, url, 'transaction');
  assert.equal(await poolerOf(ofTransactions), 'transaction');
  assert.match((await databaseFault(ofTransactions)) ?? '', /pools transactions.*Set its pool_mode to session/);

  const strict = await startPooler(t, url, 'session', { ignored: 'extra_float_digits' });
  assert.match(
    (await databaseFault(strict)) ?? '',
    /unsupported startup parameter.*docs\/operate\/start\.md#a-connection-pooler/,
  );
});

test('PgBouncer that pools transactions and takes its connections in turns is recognised', {
  skip: skipWithout('pgbouncer'),
}, async (t) => {
  const url = await startPooler(t, await createDatabase(t), 'transaction', { settings: 'server_round_robin = 1' });
  // Two transactions at once, so that it has two connections.
  const clients = [new pg.Client(url), new pg.Client(url)];
  await Promise.all(clients.map((client) => client.connect()));
  for (const text of ['BEGIN', 'SELECT', 'COMMIT']) await Promise.all(clients.map((client) => client.query(text)));
  await Promise.all(clients.map((client) => client.end()));
  assert.equal(await poolerOf(url), 'transaction');
});
