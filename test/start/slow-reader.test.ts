import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { connect } from '../../src/process/connect.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { createDatabase } from '../kit/service/database.ts';
import { HOUSE } from '../kit/service/house.ts';
import { createPerson } from '../kit/service/people.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { insertRequestRows } from '../rows/requests.ts';
import { startService } from './running-service.ts';

const SILENT = { info() {}, warn() {}, error() {} };

test('a client that does not read a long answer does not delay the stop of the service', {
  skip: notInTurn(3, 'slow reader'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const given = { DATABASE_URL: await createDatabase(t), DEMO_APP: 'on', ARCADE_PORT: '0' };
  const running = await startService(t, dataDir, given);
  const { service, close } = await connect(readSettings({ QUARTERS_DATA_DIR: dataDir, ...given }), SILENT, HOUSE);
  const person = await createPerson({ service });
  // Much more than sockets buffer.
  const declined = {
    appId: running.demo.id,
    userId: person.userId,
    description: 'd'.repeat(200),
    status: 'declined',
  } as const;
  await insertRequestRows(service.db, Array(60_000).fill(declined));
  await close();

  const { hostname, port, host } = new URL(running.origin);
  const reader = connectSocket(Number(port), hostname);
  t.after(() => reader.destroy());
  let answer = '';
  reader.on('error', () => {});
  reader.once('data', (data) => {
    reader.pause();
    answer = String(data);
  });
  reader.write(`GET /account/export.csv HTTP/1.1\r\nhost: ${host}\r\ncookie: ${person.cookie}\r\n\r\n`);
  await until('the answer has begun', () => answer !== '');
  assert.match(answer, /^HTTP\/1\.1 200 /);

  running.process.kill('SIGINT');
  await until('the service has stopped', () => running.process.exitCode !== null);
  assert.equal(running.process.exitCode, 0);
  reader.resume();
  if (!reader.closed) await once(reader, 'close');
});
