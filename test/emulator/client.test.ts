import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { connectEmulator, EmulatorError, startEmulator } from '../../sdk/emulator/src/index.ts';
import { ConnectionError, QuartersServer } from '../../sdk/src/index.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { BIN, freshEmulator, type TestEmulator } from './kit.ts';

describe('the client', () => {
  let started: TestEmulator;
  before(async () => {
    started = await freshEmulator();
  });

  test('connects to the emulator that the environment names, and leaves it running', async (t) => {
    await assert.rejects(connectEmulator(), /quarters test -- <command>/);
    const env = { QUARTERS_EMULATOR_URL: started.control, QUARTERS_EMULATOR_TOKEN: started.token };
    Object.assign(process.env, env);
    t.after(() => {
      for (const name of Object.keys(env)) delete process.env[name];
    });
    const emulator = await connectEmulator();
    assert.equal(emulator.url, started.url);
    await emulator.snapshot('before');
    const { snapshots } = await emulator.state();
    assert.ok(snapshots.includes('before'));
    await emulator.stop();
    await started.call('GET', '/state');
  });

  test('does what a test of a game asks for', async () => {
    const emulator = await connectEmulator({ url: started.control, token: started.token });
    const app = await emulator.apps.create({ quarters: 1_000 });
    const { id: appId, address: appAddress, serverKey } = app;
    const server = new QuartersServer({ url: emulator.url, appId, appAddress, serverKey, retries: 0 });
    const player = await emulator.players.create({ app, quarters: 500 });
    const ask = async () => (await server.ask({ userId: player.id, tokens: 25, expiresIn: 60 })).id;
    const statusOf = async (id: string) => (await server.request(id)).status;

    const paid = await player.approve(await ask(), { askEveryTime: true });
    await emulator.settled();
    assert.equal(await statusOf(paid.requestId), 'completed');
    const declined = await ask();
    await player.reportsProblem(declined, { text: 'no shield came' });
    await emulator.players.of(player.id).decline(declined);
    assert.equal(await statusOf(declined), 'declined');
    assert.equal((await emulator.happened()).requests[0]!.id, declined);

    const late = await ask();
    const { frozen } = await emulator.time.freeze();
    assert.equal(frozen, true);
    const before = await emulator.time.now();
    await emulator.time.advance('61 s');
    await emulator.time.set(new Date(before.getTime() + 62_000));
    assert.equal((await emulator.time.now()).getTime() - before.getTime(), 62_000);
    assert.equal(await statusOf(late), 'expired');
    await emulator.time.goOn();

    const pay = (key: string) => server.pay({ user: player.id, amount: 13 }, { idempotencyKey: key });
    await emulator.next('transfer').forApp(app).ofAmount(13).times(2).fails('insufficient-quarters');
    assert.equal((await emulator.outcomes.list()).length, 1);
    await assert.rejects(pay('refused'), { code: 'insufficient-quarters' });
    await emulator.outcomes.forget();
    await emulator.next('transfer').isAcceptedButTheAnswerIsLost();
    await assert.rejects(pay('lost'), ConnectionError);
    await emulator.next('transfer').answers({ after: '50 ms' });
    await pay('late');
    await emulator.next('transfer').isRevertedOnChain();
    await pay('reverted');
    await emulator.settled();
    await emulator.next('transfer').isReorganizedAway();
    const { requestId } = await pay('reorganized');
    await emulator.settled();
    assert.equal(await statusOf(requestId), 'completed');

    await emulator.chain.fees(30);
    await emulator.chain.fees(null);
    await emulator.chain.blocks('manual');
    const slow = await player.approve(await ask());
    assert.notEqual(await statusOf(slow.requestId), 'completed');
    await emulator.chain.mine();
    assert.equal(await statusOf(slow.requestId), 'completed');
    await emulator.chain.reorganize(1, { without: [slow.txId!] });
    await emulator.chain.down();
    await emulator.chain.up();
    await emulator.chain.blocks(50);
    await emulator.chain.blocks('instant');
    await emulator.settled();

    await emulator.webhooks.hold({ app });
    await emulator.webhooks.duplicate(2);
    await emulator.webhooks.delay('30 s', { app, times: 2 });
    await emulator.webhooks.drop();
    assert.equal((await emulator.webhooks.state()).armed.length, 3);
    assert.equal((await emulator.webhooks.release({ app, order: 'shuffled', seed: 7 })).seed, 7);
    await emulator.webhooks.forget();
    await emulator.webhooks.delivered();

    const user = await player.signUp({ displayName: 'Ada' });
    assert.deepEqual([user.kind, user.address], ['full', player.address]);
    await user.withdraws({ to: `0x${'0'.repeat(38)}aa`, amount: 100 });
    await emulator.settled();
    await user.closesAccount();
  });

  test('says what was refused, and why', async () => {
    const { control: url, token } = started;
    const emulator = await connectEmulator({ url, token });
    const error: unknown = await emulator.reset('nowhere').catch((thrown: unknown) => thrown);
    assert.ok(error instanceof EmulatorError);
    assert.deepEqual([error.status, error.code], [409, 'refused']);
    assert.match(error.message, /^reset: .*"nowhere"/);
    await assert.rejects(connectEmulator({ url, token: 'wrong' }), { code: 'token-invalid', status: 401 });
    await assert.rejects(
      connectEmulator({ url: 'http://127.0.0.1:9', token }),
      /at http:\/\/127.0.0.1:9 does not answer/,
    );
    await assert.rejects(emulator.webhooks.delay('soon'), /is no duration/);
  });

  test('says why an emulator did not start', async (t) => {
    await assert.rejects(startEmulator({ cwd: await scratchFolder(t) }), /npm install --save-dev quarters/);
    await assert.rejects(startEmulator({ command: ['no-such-program'] }), /could not be started.*no-such-program/);
    const env = {
      DATABASE_URL: 'postgres://real.example/quarters',
      CHAIN_RPC_URL: 'https://real.example',
      MASTER_KEY: 'ab'.repeat(32),
    };
    await assert.rejects(
      startEmulator({ command: [process.execPath, BIN], env }),
      /did not start.*unset DATABASE_URL, CHAIN_RPC_URL, MASTER_KEY/s,
    );
    const other = [process.execPath, '-e', 'console.log("hello")'] as const;
    await assert.rejects(startEmulator({ command: other }), /did not start. It said: hello/);
  });
});
