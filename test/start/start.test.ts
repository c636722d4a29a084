import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { notInTurn } from '../kit/run/turns.ts';
import { alive, descendants } from '../kit/unit/processes.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { call, type RunningService, runCommand, startService } from './running-service.ts';

const guestOf = async (service: RunningService) =>
  (await call(service, 'POST', '/v1/new-guest', service.demo.serverKey)).body[0] as {
    user_id: string;
    access_token: string;
    address: string;
  };

const pay = (service: RunningService, user: string, amount: number) =>
  call(service, 'POST', `/v1/accounts/${service.demo.address}/transfer`, service.demo.serverKey, { amount, user });

async function balanceOf(service: RunningService, token: string, address: string): Promise<number> {
  const { body } = await call(service, 'GET', `/v1/accounts/${address}/balance`, token);
  return Number(body[0].quarters);
}

async function statusOf(service: RunningService, requestId: string): Promise<string> {
  return (await call(service, 'GET', `/v1/requests/${requestId}`, service.demo.serverKey)).body.status;
}

test('one command starts everything, kill -9 leaves no process, and the next start has lost nothing', async (t) => {
  const dataDir = await scratchFolder(t);
  // With workers, and later without.
  const first = await startService(t, dataDir, { WORKERS: '2' });
  assert.match(first.screen, new RegExp(first.demo.serverKey));
  const guest = await guestOf(first);
  const requests: string[] = [];
  // Enough transfers that some are on the saved chain, some on it but not saved yet, and some only stored.
  for (let i = 0; i < 30; i++) {
    const { status, body } = await pay(first, guest.user_id, 10);
    assert.equal(status, 200);
    requests.push(body.requestId);
  }
  const children = descendants(first.pid);
  assert.ok(children.length >= 4, 'the embedded parts and the workers are children');

  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  await until('no child is left', () => alive(children).length === 0);

  const second = await startService(t, dataDir);
  assert.deepEqual(second.demo, first.demo);
  // The embedded chain comes back without its newest blocks. Until the follower sees that, the ledger shows what the first
  // process left, and "completed" proves nothing. A new payment completes only behind it. It is refused at first where the
  // app's own quarters are among those that were taken back.
  let afterRestart = '';
  const accepted = async () => {
    const { status, body } = await pay(second, guest.user_id, 10);
    assert.ok(status === 200 || body.code === 'quarters-unconfirmed', JSON.stringify(body));
    afterRestart = body.requestId;
    return status === 200;
  };
  await until('a payment is accepted after the restart', accepted);
  await until('that payment completes', async () => (await statusOf(second, afterRestart)) === 'completed');
  for (const requestId of requests) {
    await until('every accepted transfer completes', async () => (await statusOf(second, requestId)) === 'completed');
  }
  assert.equal(await balanceOf(second, guest.access_token, guest.address), 310);
  assert.equal(await balanceOf(second, second.demo.serverKey, second.demo.address), 1_000_000 - 310);

  second.process.kill('SIGINT');
  const [code] = await once(second.process, 'exit');
  assert.equal(code, 0);
  await until('no child is left', () => alive(descendants(second.pid)).length === 0);
});

test('a second start on the same folder is refused, and commands work next to the running service', {
  skip: notInTurn(2, 'start, 2'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const service = await startService(t, dataDir);

  const again = await runCommand(dataDir, ['start']);
  assert.equal(again.code, 1);
  assert.match(again.err, /in use by process \d+/);

  const quiet = async (args: string[]) => {
    const { err, out } = await runCommand(dataDir, args);
    assert.equal(err, '', 'stderr is no terminal, and has no line of a log');
    return JSON.parse(out);
  };
  const created = await quiet(['apps', 'create', '--name', 'Second Game', '--json']);
  const issue = ['issue', created.id, '250', '--key', 'first season', '--json'];
  const issued = await quiet(issue);
  // A command that was killed before it printed anything is run again with its key.
  assert.deepEqual(JSON.parse((await runCommand(dataDir, issue)).out), issued);
  const shown = await quiet(['transfers', 'show', issued.txId, '--json']);
  assert.ok(JSON.stringify(shown).includes('"completed"'), 'they can be spent when the command ends');
  assert.match((await runCommand(dataDir, ['apps', 'list'])).out, /Second Game.*250/);

  const refused = await runCommand(dataDir, ['issue', 'x'.repeat(28), '5']);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /no app and no user/i);
  service.process.kill('SIGINT');
  await once(service.process, 'exit');
  assert.match((await runCommand(dataDir, ['apps', 'list'])).err, /No service is running/);
});

test('each wrong or unreachable setting ends the start with one sentence', {
  skip: notInTurn(2, 'start, 3'),
}, async (t) => {
  const dataDir = await scratchFolder(t);
  const wrong = await runCommand(dataDir, ['start'], { PORT: 'http', COMPLETE_AFTER: '0' });
  assert.equal(wrong.code, 1);
  assert.equal(wrong.err.trim().split('\n').length, 2);

  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const occupied = await runCommand(dataDir, ['start'], { HOST: '127.0.0.1', PORT: `${port}` });
  assert.equal(occupied.code, 1);
  assert.equal(occupied.err, `Port ${port} is in use: set PORT to another one.\n`);
  assert.deepEqual(readdirSync(dataDir).toSorted(), ['lock', 'lock.pid'], 'nothing was prepared');

  const given = {
    PUBLIC_URL: 'https://quarters.example',
    DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:9/none',
    CHAIN_RPC_URL: 'http://127.0.0.1:9',
  };
  const withoutMail = await runCommand(dataDir, ['start'], given);
  assert.equal(withoutMail.code, 1);
  assert.match(withoutMail.err, /^SMTP_URL is not set, .*MAIL_WITHOUT_SMTP=on\.\n$/);

  const unreachable = await runCommand(dataDir, ['start'], { ...given, MAIL_WITHOUT_SMTP: 'on' });
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.err, /^DATABASE_URL: .*\nCHAIN_RPC_URL: .*\n$/);
  assert.doesNotMatch(unreachable.err, /hunter2/);
});
