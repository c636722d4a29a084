import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { connectEmulator, EmulatorError, startEmulator } from '../../sdk/emulator/src/index.ts';
import { ConnectionError, QuartersServer } from '../../sdk/src/index.ts';
import { atEnd, everyTest } from '../kit/unit/at-end.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { BIN, freshEmulator, type RunningEmulator } from './emulated.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** Of a game that has installed both packages. It ends by itself, or waits to be killed. */
const GAME = `
import { type Emulator, EmulatorError, type Player, startEmulator } from 'quarters-emulator';

declare const process: { argv: string[]; pid: number };

async function main(): Promise<void> {
  const emulator: Emulator = await startEmulator();
  const app = await emulator.apps.create({ quarters: 500 });
  const key: string = app.serverKey;
  // @ts-expect-error: there is no such field
  console.log(app.nothing ?? key.slice(0, 3));
  const refused = await emulator.reset('nowhere').catch((error: unknown) => error);
  console.log(refused instanceof EmulatorError && refused.code);
  console.log(emulator.url);
  if (process.argv[2] === 'stop') await emulator.stop();
  if (process.argv[2] === 'wait') setInterval(() => {}, 1_000);
}

/** Is only compiled. */
export async function surface({ apps, chain, next, players, time, webhooks }: Emulator): Promise<string | null> {
  const app = await apps.create({ webhook: 'http://localhost:3000/hook' });
  const player: Player = await players.create({ app, quarters: 500, guest: true });
  await next('transfer').forApp(app).times(2).ofAmount(13).fails('insufficient-quarters');
  // @ts-expect-error: that is no code of the API
  await next('transfer').fails('bad-luck');
  await next('createRequest').answers({ after: '30 s' });
  await player.approve('r', { askEveryTime: true });
  await time.advance('31 days');
  await chain.blocks(250);
  await chain.reorganize(2, { without: ['0x1'] });
  await webhooks.release({ order: 'shuffled', seed: 7 });
  return player.pageToken;
}

void main();
`;

describe('the package quarters-emulator', () => {
  let folder: string;
  before(async () => {
    folder = await scratchFolder(everyTest);
    const installed = join(folder, 'node_modules/quarters-emulator');
    await mkdir(installed, { recursive: true });
    await cp(join(ROOT, 'sdk/emulator/package.json'), join(installed, 'package.json'));
    await run(process.execPath, [join(ROOT, 'sdk/build.mjs'), join(installed, 'dist'), 'emulator']);
    await symlink(ROOT, join(folder, 'node_modules/quarters'), 'dir');
  });

  /** Compiles the game as this kind of module, and starts it. Resolves when its emulator has answered. */
  async function play(t: TestContext, type: 'module' | 'commonjs', module: string, what: string) {
    const game = join(folder, type);
    await mkdir(game);
    await writeFile(join(game, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(game, 'game.ts'), GAME);
    await run(process.execPath, [TSC, '--module', module, '--target', 'es2022', '--strict', 'game.ts'], { cwd: game });
    const child = spawn(process.execPath, ['game.js', what], { cwd: game, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    atEnd(t, async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 3) break;
    assert.deepEqual(lines.slice(0, 2), ['qk_', 'refused']);
    assert.match(lines[2] ?? '', /^http:/);
    return { url: lines[2]!, child, ended };
  }

  const answers = (url: string) =>
    fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    );

  test('has types, starts the service as a module, and stops it', async (t) => {
    const { url, ended } = await play(t, 'module', 'nodenext', 'stop');
    assert.deepEqual(await ended, [0, null]);
    assert.equal(await answers(url), false);
  });

  test('has types in CommonJS, and its emulator ends with a process that is killed', async (t) => {
    const { url, child } = await play(t, 'commonjs', 'node16', 'wait');
    assert.equal(await answers(url), true);
    child.kill('SIGKILL');
    await until('the emulator has ended', async () => !(await answers(url)));
  });
});

describe('the client', () => {
  let started: RunningEmulator;
  before(async () => {
    started = await freshEmulator();
  });

  test('connects to the emulator that the environment names, and leaves it running', async (t) => {
    await assert.rejects(connectEmulator(), /quarters test -- <command>/);
    process.env.QUARTERS_EMULATOR_URL = started.control;
    process.env.QUARTERS_EMULATOR_TOKEN = started.token;
    t.after(() => {
      delete process.env.QUARTERS_EMULATOR_URL;
      delete process.env.QUARTERS_EMULATOR_TOKEN;
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
    const env = { DATABASE_URL: 'postgres://localhost/real' };
    await assert.rejects(
      startEmulator({ command: [process.execPath, BIN], env }),
      /did not start.*unset DATABASE_URL/s,
    );
    const other = [process.execPath, '-e', 'console.log("hello")'] as const;
    await assert.rejects(startEmulator({ command: other }), /did not start. It said: hello/);
  });
});
