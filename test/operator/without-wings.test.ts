import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readSettings } from '../../src/config/read-settings.ts';
import { openLog } from '../../src/process/logging.ts';
import { start } from '../../src/process/start.ts';
import type { Service } from '../../src/service/service.ts';
import { MARK_HEADER, makeMark } from '../../src/wings/doctor/diagnostics/marks.ts';
import { chainEntries, readHead } from '../../src/wings/operators-log/store/chain.ts';
import type { Developer } from '../kit/service/developer.ts';
import { houseWith } from '../kit/service/house.ts';
import { createOperator } from '../kit/service/operator.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { newDataDir, startTestService, type TestService } from '../kit/service/service.ts';

/** The statuses of pages, in order. */
const statusesOf = (who: Developer, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await who.get(path)).statusCode));

const askMirror = ({ app, service }: TestService) =>
  app.inject({ url: '/doctor', headers: { [MARK_HEADER]: makeMark(service.vault) } });

test('without the operators’ console there is none, whatever other wings would add to it', async (t) => {
  const s = await startTestService(t, { wings: '-operators-console' });
  const operator = await createOperator(s);
  const gone = ['/operator', '/operator/health', '/operator/statements', '/operator/liabilities', '/operator/log'];
  assert.deepEqual(await statusesOf(operator, gone), [404, 404, 404, 404, 404]);
  assert.doesNotMatch((await operator.get('/account')).body, /href="\/operator"/);
  assert.match((await s.app.inject('/')).body, /href="\/docs"/);
  assert.equal((await askMirror(s)).statusCode, 200);
});

test('without the economy, the console begins with health, and no page leads to the economy', async (t) => {
  const s = await startTestService(t, { wings: '-economy' });
  const operator = await createOperator(s);
  const { statusCode, headers } = await operator.get('/operator');
  assert.deepEqual([statusCode, headers.location], [303, '/operator/health']);
  const { id } = await s.createApp();
  const app = await operator.get(`/operator/apps/${id}`);
  assert.equal(app.statusCode, 200);
  assert.match(app.body, /<search>/);
  assert.match(app.body, /href="\/operator\/log\?subject=/);
  assert.doesNotMatch(app.body, /href="\/operator("|\/economy|\/statements)/);
  assert.deepEqual(await statusesOf(operator, ['/operator/statements', `/operator/economy/apps/${id}`]), [404, 404]);
});

test('without the log, the documents and doctor, nothing leads to them, and changes are still recorded', async (t) => {
  const s = await startTestService(t, { wings: '-operators-log,-documents,-doctor' });
  const { db } = s.service;
  const before = await readHead(db);
  const operator = await createOperator(s);
  const user = await operator.get(`/operator/users/${operator.userId}`);
  assert.equal(user.statusCode, 200);
  assert.doesNotMatch(user.body, /href="\/operator\/log/);
  assert.deepEqual(await statusesOf(operator, ['/operator/log', '/docs', '/docs/guides/tutorial']), [404, 404, 404]);
  for (const path of ['/', '/tour', '/developer']) {
    const { statusCode, body } = await operator.get(path);
    assert.equal(statusCode, 200, path);
    assert.doesNotMatch(body, /href="\/docs/, path);
  }
  assert.equal((await askMirror(s)).statusCode, 404);
  // Nobody has sealed the entries. The wing does when it runs again.
  assert.deepEqual(await readHead(db), before);
  assert.ok((await db.transaction((tx) => chainEntries(tx, 500))) > 0);
});

test('without any wing there is no operators’ console', async (t) => {
  const operator = await createOperator(await startTestService(t, { wings: 'none' }));
  assert.deepEqual(await statusesOf(operator, ['/operator', '/operator/health']), [404, 404]);
  const account = await operator.get('/account');
  assert.equal(account.statusCode, 200);
  assert.doesNotMatch(account.body, /href="\/operator/);
});

test('a command of a wing that is left out says so', async () => {
  const commands = {
    doctor: 'doctor',
    pay: 'pay-files',
    listen: 'rehearsal',
    trigger: 'rehearsal',
    log: 'operators-log',
  };
  for (const [name, wing] of Object.entries(commands)) {
    const service = { house: houseWith(`-${wing}`) } as Service;
    const end = { code: 2, out: '', err: `${name} is off: WINGS leaves out ${wing}.\n` };
    assert.deepEqual(await runCommand(service, name, 'verify', '--any', 'thing'), end);
    assert.deepEqual(await runCommand(service, name, '--help'), end);
    assert.doesNotMatch((await runCommand(service, '--help')).out, new RegExp(`^  ${name} `, 'm'));
    assert.match(
      (await runCommand({ house: houseWith('all') } as Service, '--help')).out,
      new RegExp(`^  ${name} `, 'm'),
    );
  }
});

test('a start with several workers is refused without the wing that has them', async (t) => {
  const settings = readSettings({ WORKERS: '2', QUARTERS_DATA_DIR: newDataDir(t) });
  const starting = start(settings, await openLog(settings), new PassThrough(), {} as never, houseWith('-workers'));
  await assert.rejects(starting, /WORKERS is more than 1, and WINGS leaves out workers/);
});
