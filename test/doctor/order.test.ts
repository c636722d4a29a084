import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../src/db/database.ts';
import { compareMigrations } from '../../src/db/migrate.ts';
import { createDatabase } from '../kit/service/database.ts';
import { examined, findingsOf, saysOf, settingsOf } from '../kit/service/examined.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';

const root = resolve(import.meta.dirname, '../..');

/** The databases of tests do not write to disk, their role may do everything, and they have no standby. Doctor is right to say so. */
const OF_TEST_DATABASES = ['Database', 'Durability', 'Read replica'];

test('a service in order is good in every part', async (t) => {
  const s = await sharedService(t);
  // The chain begins as a copy that this run of tests has made at its start, and doctor warns of a chain that stands still.
  await s.evm.rpc('evm_mine');
  const findings = await examined(t, { ...settingsOf(s), DATABASE_READ_URL: s.databaseUrl });
  assert.match(
    saysOf(findings, 'Read replica'),
    /^warning: The primary reads everything\. Of the replica: it is no standby\./,
  );
  const others = findings.checks.filter(({ part, state }) => state !== 'good' && !OF_TEST_DATABASES.includes(part));
  assert.deepEqual(others, []);
  const table = readFileSync(join(root, 'docs/operate/doctor.md'), 'utf8');
  const rows = [...table.matchAll(/^\| \[?([A-Z][\w ]*\w)\b.*\|$/gm)].slice(1).map(([, part]) => part);
  assert.deepEqual(
    rows,
    [...new Set(findings.checks.map(({ part }) => part))],
    'docs/operate/doctor.md lists the parts',
  );
  assert.match(saysOf(findings, 'Database'), /^warning: The role \w+ is a superuser/);
  assert.match(saysOf(findings, 'Durability'), /fsync is off[\s\S]*full_page_writes is off[\s\S]*No standby/);
  assert.match(saysOf(findings, 'Processes'), /One process/);
  assert.match(saysOf(findings, 'Contracts'), /their supply equals the ledger/);
  assert.match(saysOf(findings, 'Public address'), /It leads here, without a proxy/);
});

test('before a first start, doctor checks what is there and makes nothing', async (t) => {
  const databaseUrl = await createDatabase(t, 'template0');
  const findings = await examined(t, { DATABASE_URL: databaseUrl, CHAIN_RPC_URL: 'http://127.0.0.1:1' });
  assert.match(saysOf(findings, 'Master key'), /good: There is no master key yet/);
  assert.match(saysOf(findings, 'Data folder'), /good: .* does not exist yet/);
  assert.match(saysOf(findings, 'Tables'), /good: The database is empty/);
  assert.match(saysOf(findings, 'Chain'), /bad: 127\.0\.0\.1:1 does not answer/);
  assert.equal(findingsOf(findings, 'Contracts').length, 1);
  const db = openDatabase(databaseUrl);
  atEnd(t, () => db.close());
  assert.equal((await compareMigrations(db)).isNew, true);
  const tables = await db.query(`SELECT FROM pg_class WHERE relname LIKE 'quarters%'`);
  assert.equal(tables.length, 0, 'the test table was rolled back');
});

test('doctor ends although nothing that it asks ever answers', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const silent = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const findings = await examined(t, {
    DATABASE_URL: `postgres://quarters@${silent}/quarters`,
    CHAIN_RPC_URL: `http://${silent}`,
    SMTP_URL: `smtp://${silent}`,
    PUBLIC_URL: `http://${silent}`,
    MASTER_KEY: '1'.repeat(64),
  });
  for (const part of ['Database', 'Chain', 'Mail']) assert.equal(findingsOf(findings, part)[0]?.state, 'bad', part);
  assert.equal(findingsOf(findings, 'Public address')[0]?.state, 'unknown');
});

test('every page and paragraph that doctor points to exists', () => {
  const sources = globSync('src/wings/doctor/diagnostics/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const constants = new Map(
    sources.flatMap((source) =>
      [...source.matchAll(/const ([A-Z]+) = '(docs\/[^'#]+)';/g)].map(([, name, page]) => [name!, page!] as const),
    ),
  );
  const links = sources.flatMap((source) => [
    ...[...source.matchAll(/'(docs\/[\w/.-]+(?:#[\w-]+)?)'/g)].map(([, link]) => link!),
    ...[...source.matchAll(/`\$\{([A-Z]+)\}(#[\w-]+)`/g)].map(([, name, anchor]) => `${constants.get(name!)}${anchor}`),
  ]);
  assert.ok(links.length > 20);
  for (const link of new Set(links)) {
    const [page = '', anchor] = link.split('#');
    assert.ok(existsSync(join(root, page)), link);
    if (anchor === undefined) continue;
    const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
    assert.ok(headings.includes(anchor), link);
  }
});
