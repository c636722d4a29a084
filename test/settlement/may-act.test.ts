import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { Command } from 'commander';
import type { Operation } from '../../src/api/describe/describe.ts';
import { buildProgram } from '../../src/cli/run.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { changeSpendingLimit } from '../../src/features/accounts/spending-limit.ts';
import { sweepKeys } from '../../src/features/custody/sweep-keys.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import { mergeGuest } from '../../src/features/guests/merge-guest.ts';
import { ACTION_KINDS } from '../../src/features/operator-actions/kinds.ts';
import { choresOf } from '../../src/jobs/chore-loops.ts';
import { emptyingLoop } from '../../src/jobs/emptying-loop.ts';
import { plainLoops, startLoop } from '../../src/jobs/plain-loops.ts';
import type { Service } from '../../src/service/service.ts';
import type { Engine } from '../../src/settlement/engine.ts';
import { pruneLog } from '../../src/wings/operators-log/features/prune-log.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { startFaultyChain } from '../kit/service/chain-faults.ts';
import { POSTS, type Post } from '../kit/service/posts.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { findSnapshot } from '../kit/service/snapshot.ts';
import { until } from '../kit/unit/until.ts';
import { ACTIONS, type Acts, COMMANDS, FORMS, LOOPS, OPERATIONS } from './acts.ts';

/** With everything that can be turned on. */
const ENV = {
  WITHDRAWALS: 'on',
  WITHDRAWAL_USER_DAY_LIMIT: '500',
  WITHDRAWAL_DAY_LIMIT: '1000000',
  WELCOME_REWARD: '5',
};
const READING = ['GET', 'HEAD', 'OPTIONS'];
/** As after a start that nobody vouches for, while the node is away. */
const IN_THE_DARK = { compared: 'not-yet', trusted: false } as const;

/** The routes that change something. */
function changing({ routes }: TestService) {
  return routes.flatMap(({ method, url, config }) => {
    const changes = [method].flat().some((one) => !READING.includes(one));
    return changes ? [{ url, operation: (config as { operation?: Operation } | undefined)?.operation }] : [];
  });
}

function commandsBelow(command: Command, path = ''): string[] {
  return command.commands.flatMap((sub) => {
    const name = `${path} ${sub.name()}`.trim();
    return sub.commands.length === 0 ? [name] : commandsBelow(sub, name);
  });
}

/** The names of the loops: those of the table, and in the sources. Where a name is computed, the file says whose loops they are. */
function loopNames(service: Service): string[] {
  const source = join(import.meta.dirname, '../../src');
  const files = globSync('{jobs,wings/*/jobs}/*.ts', { cwd: source }).filter(
    (path) => !/\/(repeat|plain-loops)\.ts$/.test(path),
  );
  const named = files.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const calls = text.matchAll(/\brepeat\(\s*(?:'([^']+)'|"([^"]+)"|\w)/g);
    return [...calls].map(([, one, other]) => one ?? other ?? `those of ${basename(path)}`);
  });
  return [...named, ...plainLoops(service, () => 0).map(({ name }) => name)];
}

function assertListed(table: Acts, found: readonly string[], what: string): void {
  assert.deepEqual(Object.keys(table).sort(), [...new Set(found)].sort(), `each ${what} says whether it waits`);
}

/** A service whose database must not be asked. */
function blind(service: Service): Service {
  const refuse = () => {
    throw new Error('The database was asked');
  };
  return { ...service, db: { ...service.db, query: refuse, transaction: refuse } as unknown as Service['db'] };
}

test('whatever spends, grants, expires, ends or forgets is refused or waits until the database is compared with the chain', async (t) => {
  const snapshot = findSnapshot();
  const faulty = await startFaultyChain(t, { state: snapshot?.chainState });
  const chain = { evm: faulty.evm, rpcUrls: [faulty.proxy.url], snapshot };
  const s = await startTestService(t, { wings: 'all', env: ENV, development: true, chain });
  const { service } = s;
  const context = { connect: async () => assert.fail(), start: async () => {}, migrate: async () => ({ applied: [] }) };
  const program = await buildProgram(
    { ...context, house: () => service.house, out: new PassThrough(), err: new PassThrough() },
    () => {},
  );
  const routes = changing(s);

  await t.test('everything that changes something is listed', () => {
    assertListed(
      OPERATIONS,
      routes.flatMap(({ operation }) => operation?.operationId ?? []),
      'operation of the API',
    );
    assertListed(
      FORMS,
      routes.flatMap(({ url, operation }) => (operation ? [] : [url])),
      'form of a page',
    );
    assertListed(LOOPS, loopNames(service), 'loop');
    assertListed(COMMANDS, commandsBelow(program), 'command');
    assertListed(ACTIONS, [...ACTION_KINDS.keys()], "kind of an operator's action");
  });

  const waiting = routes.filter(({ operation }) => operation && OPERATIONS[operation.operationId] === 'waits');
  const game = await s.createApp({ autoApprove: true });
  await s.issue(game.id, 1_000);
  const posts: Post[] = [];
  for (const { url } of waiting) posts.push(await POSTS[url]!(s, game));
  await s.settled();
  faulty.proxy.reachable = false;
  Object.assign((service as Engine).readiness, IN_THE_DARK);
  const effects = () => Promise.all(posts.map((post) => post.effects()));
  const before = await effects();

  await t.test('operations of the API that wait are refused', async () => {
    for (const { what, token, body } of posts) {
      const refused = await call(s.app, what, { token, body });
      assertProblem(refused, 503, 'payments-suspended');
      assert.equal(refused.headers['retry-after'], '5', what);
    }
    assert.deepEqual(await effects(), before);
  });

  await t.test('loops that wait do not ask the database', async () => {
    const failures: unknown[] = [];
    const log = { ...service.log, warn: (entry: object) => void failures.push(entry) };
    const dark = { ...blind(service), log };
    for (const [name, chore] of Object.entries(await choresOf(dark))) assert.equal(await chore(), false, name);
    const plain = plainLoops(dark, () => 0).filter(({ name }) => LOOPS[name] === 'waits');
    const loops = [emptyingLoop(dark, 0), ...plain.map((row) => startLoop(dark, row))];
    assert.equal(loops.length, Object.values(LOOPS).filter((why) => why === 'waits').length);
    for (const loop of loops) await loop.stop();
    assert.deepEqual(failures, []);
  });

  await t.test("operators' actions that wait say so themselves", () => {
    for (const [name, kind] of ACTION_KINDS) assert.equal(kind.waits === true, ACTIONS[name] === 'waits', name);
  });

  await t.test('what pages and commands end is refused before the database is asked', async () => {
    const dark = blind(service);
    const none = {} as never;
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      '/account/close': () => closeAccount(dark, none, none),
      '/account/apps/limit': () => changeSpendingLimit(dark, none, none, none),
      '/guest/finish': () => convertGuest(dark, none),
      'log prune': () => pruneLog(dark, none),
      'custody sweep': () => sweepKeys(dark, none, () => {}),
    };
    for (const [name, act] of Object.entries(acts)) await assert.rejects(act, { code: 'payments-suspended' }, name);
    await assert.rejects(mergeGuest(service, none), { code: 'payments-suspended' });
  });

  await t.test('commands that wait say why', async () => {
    for (const args of [
      ['issue', game.id, '5', '--yes'],
      ['apps', 'delete', game.id, '--yes'],
    ]) {
      const { code, err } = await runCommand(service, ...args);
      assert.notEqual(code, 0);
      assert.match(err, /^Payments wait until the database is compared with the chain/m);
    }
    assert.equal((await runCommand(service, 'apps', 'show', game.id)).code, 0);
  });
  assert.deepEqual(await effects(), before);

  await t.test('all of them work once it is compared', async () => {
    faulty.proxy.reachable = true;
    await until('the database is compared', () => service.readiness.compared === 'done');
    for (const { what, token, body } of posts) {
      const done = await call(s.app, what, { token, body });
      assert.ok(done.statusCode < 300, `${what}: ${done.body}`);
    }
  });
});
