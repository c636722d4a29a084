import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startArcade } from '../../local/arcade.ts';
import { demoApp } from '../../local/demo-app.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { LogEntry } from '../../src/service/service.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { startTestService } from '../kit/service/service.ts';
import { alive, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { startService } from './running-service.ts';

test('the example game starts with the demo app, on a free port if its own is in use, and stops with the service', {
  skip: notInTurn(3, 'arcade, 1'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const taken = (other.address() as AddressInfo).port;

  const service = await startService(t, dataDir, { ARCADE_PORT: String(taken) });
  const origin = /Play +(http:\/\/127\.0\.0\.1:\d+)/.exec(service.screen)?.[1] ?? '';
  assert.notEqual(new URL(origin).port, String(taken));
  assert.match(await (await fetch(origin)).text(), new RegExp(`<script src="${service.origin}/quarters.js" defer>`));

  // It is registered: a guest is created and paid, and the game may embed the payment's page.
  const post = async (path: string, cookie = '') => {
    const headers = { origin, cookie, 'content-type': 'application/json' };
    return fetch(origin + path, { method: 'POST', headers, body: '{}' });
  };
  const started = await post('/api/rounds');
  assert.equal(started.status, 200);
  const cookie = started.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { requestId, pageToken } = (await (await post('/api/shields', cookie)).json()) as Record<string, string>;
  const page = await fetch(`${service.origin}/requests/${requestId}?firebase_token=${pageToken}`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', new RegExp(`frame-ancestors ${origin}(;|$)`));

  const children = descendants(service.pid);
  service.process.kill('SIGINT');
  assert.equal((await once(service.process, 'exit'))[0], 0);
  await until('no child is left', () => alive(children).length === 0);
  await assert.rejects(fetch(origin));
});

const NEVER = new Promise<unknown>(() => {});

/** Starts a substitute for the example game and collects what the log says about it. */
async function startOther(t: TestContext, program: string, late: Promise<unknown> = NEVER) {
  const warnings: { readonly entry: LogEntry; readonly message: string }[] = [];
  const warn = (entry: LogEntry, message: string) => void warnings.push({ entry, message });
  const { service } = await startTestService(t, { env: { DEMO_APP: 'on' }, log: { info() {}, warn, error() {} } });
  const server = join(await scratchFolder(t), 'server.mjs');
  await writeFile(server, program);
  const demo = (await demoApp(service))!;
  const running = await startArcade(service, demo, new AbortController().signal, { server, late });
  const said = () => warnings.filter(({ message }) => message.includes('example game'));
  return { running, said };
}

test('an example game that never announces its address is stopped, and the service runs without it', {
  skip: notInTurn(3, 'arcade, 2'),
}, async (t) => {
  const spoken = join(await scratchFolder(t), 'spoken');
  const late = until('it has said something', () => existsSync(spoken));
  const { running, said } = await startOther(
    t,
    `import { writeFileSync } from 'node:fs';
    console.log('I am', process.pid);
    writeFileSync(${JSON.stringify(spoken)}, '');
    setInterval(() => {}, 1000);`,
    late,
  );
  assert.equal(running, null);
  assert.deepEqual(
    said().map(({ message }) => message),
    ['the example game did not start'],
  );
  const pid = Number(/I am (\d+)/.exec(String(said()[0]?.entry.output))?.[1]);
  assert.deepEqual(alive([pid]), []);
});

test('an example game that cannot be registered is stopped', { skip: notInTurn(3, 'arcade, 3') }, async (t) => {
  const { service, databaseUrl } = await startTestService(t, { env: { DEMO_APP: 'on' } });
  const demo = (await demoApp(service))!;
  const folder = await scratchFolder(t);
  const server = join(folder, 'server.mjs');
  await writeFile(
    server,
    `import { writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));
    console.log('The game is open at http://127.0.0.1:9');
    setInterval(() => {}, 1000);`,
  );
  const db = openDatabase(databaseUrl);
  await db.close();
  const ending = new AbortController();
  t.after(() => ending.abort());
  await assert.rejects(startArcade({ ...service, db }, demo, ending.signal, { server }), /pool/);
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
  assert.deepEqual(alive([pid]), []);
});

test('an example game that ends by itself is logged, and one that is stopped is not', {
  skip: notInTurn(3, 'arcade, 4'),
}, async (t) => {
  const open = `console.log('The game is open at http://127.0.0.1:9');`;
  const ended = await startOther(t, `${open} setTimeout(() => process.exit(3), 500);`);
  assert.equal(ended.running?.origin, 'http://127.0.0.1:9');
  await until('the log tells of it', () => ended.said().length > 0);
  const [{ entry, message }] = ended.said() as [{ entry: LogEntry; message: string }];
  assert.equal(message, 'the example game ended by itself');
  assert.equal(entry.code, 3);

  const stopped = await startOther(t, `${open} setInterval(() => {}, 1000);`);
  await stopped.running?.stop();
  assert.deepEqual(stopped.said(), []);
});
