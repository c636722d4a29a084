import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { AppId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { untilArrived } from '../../src/cli/arrival.ts';
import type { CliContext } from '../../src/cli/command.ts';
import { openDatabase } from '../../src/db/database.ts';
import { untilTestQuartersArrive } from '../../src/features/apps/test-quarters.ts';
import { performAction } from '../../src/features/operator-actions/perform-action.ts';
import { waitForArrival } from '../../src/features/payments/wait-for-arrival.ts';
import { listKeys } from '../../src/identity/app-keys.ts';
import { lookUpAccountOfApp } from '../../src/ledger/accounts.ts';
import { call } from '../kit/service/call.ts';
import { commandsOf } from '../kit/service/commands.ts';
import { createDatabase } from '../kit/service/database.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { HOUSE } from '../kit/service/house.ts';
import { newPayment } from '../kit/service/payment.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startSecondService } from '../kit/service/second-service.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PRIVATE_TARGETS } from '../kit/service/webhooks.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';
import { COMMANDS } from './acts.ts';

type Stage = {
  readonly s: TestService;
  /** The API in another process. */
  readonly other: FastifyInstance;
  /** Runs a command to its end. Returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests look at
  run(...args: string[]): Promise<any>;
};

/** Makes a call in the other process as an app, and returns its status. */
async function answered({ other }: Stage, token: string, what: string, body?: object): Promise<number> {
  return (await call(other, what, { token, ...(body && { body }) })).statusCode;
}

const newGuest = (stage: Stage, token: string) => answered(stage, token, 'POST /v1/new-guest', {});

async function keyOf({ s }: Stage, { id }: TestApp): Promise<string> {
  const keys = await listKeys(s.service.db, id, { living: true });
  return keys.find(({ kind }) => kind === 'server')!.id;
}

/** Calls for a payment that the player need not approve, in the other process. */
async function takes(stage: Stage, app: TestApp, guest: Awaited<ReturnType<TestService['createGuest']>>) {
  const { id } = await newPayment(stage.s, app, { guest });
  return answered(stage, guest.accessToken, `POST /v1/requests/${id}/autoApprove`, {
    ...{ clientId: app.id, userId: guest.userId, address: guest.address },
  });
}

/** Pays as much as the app has to a new guest, in the other process. */
async function spends(stage: Stage, app: TestApp, amount: number) {
  const guest = await stage.s.createGuest(app);
  return answered(stage, app.serverKey, `POST /v1/accounts/${app.address}/transfer`, { amount, user: guest.userId });
}

const WHY = ['--reason', 'a test', '--yes'];

const SHOWN = 'shows the row that it has changed, which each call reads anew';
const WAITS = 'waits for all processes itself, and names those that are late';

/** What a command says, tried in another process as soon as it has ended; or why there is nothing to try. */
const TRUE_AT_ITS_END: Readonly<Record<string, string | ((stage: Stage) => Promise<void>)>> = {
  async 'apps create'(stage) {
    for (let i = 0; i < 3; i++) {
      const { id, address, serverKey, testQuarters } = await stage.run('apps', 'create', '--name', `Race ${i}`);
      const account = await lookUpAccountOfApp(stage.s.service.db, id as AppId);
      assert.equal(account?.posted, 10_000n);
      const guest = await stage.s.createGuest({ id, address, serverKey });
      const paid = { amount: testQuarters, user: guest.userId };
      const spent = await call(stage.other, `POST /v1/accounts/${address}/transfer`, { token: serverKey, body: paid });
      assert.equal(spent.statusCode, 200, spent.body);
    }
  },
  async 'apps delete'(stage) {
    const app = await stage.s.createApp();
    await stage.run('apps', 'delete', app.id, '--yes');
    assert.equal(await newGuest(stage, app.serverKey), 401);
  },
  async 'apps keys issue'(stage) {
    const app = await stage.s.createApp();
    const { secret } = await stage.run('apps', 'keys', 'issue', app.id);
    assert.equal(await newGuest(stage, secret), 201);
  },
  async 'apps keys revoke'(stage) {
    const app = await stage.s.createApp();
    await stage.run('apps', 'keys', 'revoke', app.id, await keyOf(stage, app));
    assert.equal(await newGuest(stage, app.serverKey), 401);
  },
  async 'apps auto-approval enable'(stage) {
    const { app, guest } = await playerWithLimit(stage, false);
    assert.equal(await takes(stage, app, guest), 403);
    await stage.run('apps', 'auto-approval', 'enable', app.id);
    assert.equal(await takes(stage, app, guest), 200);
  },
  async 'apps auto-approval disable'(stage) {
    const { app, guest } = await playerWithLimit(stage, true);
    await stage.run('apps', 'auto-approval', 'disable', app.id);
    assert.equal(await takes(stage, app, guest), 403);
  },
  async 'apps suspend'(stage) {
    const app = await stage.s.createApp();
    await stage.run('apps', 'suspend', app.id, ...WHY);
    assert.equal(await newGuest(stage, app.serverKey), 403);
  },
  async 'apps resume'(stage) {
    const app = await stage.s.createApp();
    await stage.run('apps', 'suspend', app.id, ...WHY);
    await stage.run('apps', 'resume', app.id, ...WHY);
    assert.equal(await newGuest(stage, app.serverKey), 201);
  },
  async 'users freeze'(stage) {
    const { app, guest } = await playerWithLimit(stage, true);
    await stage.run('users', 'freeze', guest.userId, ...WHY);
    assert.equal(await takes(stage, app, guest), 403);
  },
  async 'users unfreeze'(stage) {
    const { app, guest } = await playerWithLimit(stage, true);
    await stage.run('users', 'freeze', guest.userId, ...WHY);
    await stage.run('users', 'unfreeze', guest.userId, ...WHY);
    assert.equal(await takes(stage, app, guest), 200);
  },
  async 'webhooks add'(stage) {
    const { id, serverKey } = await stage.s.createApp();
    const added = await stage.run('webhooks', 'add', id, 'https://game.example/hook');
    const { secret: key } = await stage.run('apps', 'keys', 'issue', id, '--scope', 'webhooks');
    assert.equal(await answered(stage, key, `GET /v1/webhook-endpoints/${added.id}`), 200);
    await stage.run('webhooks', 'remove', id, added.id);
    assert.equal(await answered(stage, key, `GET /v1/webhook-endpoints/${added.id}`), 404);
    assert.equal(await newGuest(stage, serverKey), 201);
  },
  'webhooks remove': 'as webhooks add',
  'webhooks enable': SHOWN,
  'webhooks redeliver': 'says for how many it is queued, and not that it is delivered',
  trigger: 'names the event that it has made',
  'apps update': SHOWN,
  'apps verify': SHOWN,
  'apps unverify': SHOWN,
  async issue(stage) {
    for (let i = 0; i < 3; i++) {
      const app = await stage.s.createApp();
      await stage.run('issue', app.id, '7');
      assert.equal(await spends(stage, app, 7), 200);
    }
  },
  async 'actions approve'(stage) {
    const { s } = stage;
    const app = await s.createApp();
    const settings = { ...s.service.settings, fourEyesAbove: asQuarters(5) };
    const asked = { id: randomUUID(), kind: 'issue', params: { recipient: app.id, quarters: 7 }, reason: 'A test' };
    const other = { kind: 'shell', osUser: 'another' } as const;
    const { action: waiting } = await performAction({ ...s.service, settings }, other, asked);
    await stage.run('actions', 'approve', waiting.id, '--hash', waiting.paramsHash, '--yes');
    assert.equal(await spends(stage, app, 7), 200);
    await stage.run('actions', 'retry', waiting.id);
  },
  'rewards grant': SHOWN,
  'users stop-address': SHOWN,
  'users join-account': 'waits until the account is empty, as issue does: test/custody/lost-parties.test.ts',
  'transfers cancel': 'asks the chain, and says so',
  'reports resolve': SHOWN,
  'operators add': SHOWN,
  'operators remove': SHOWN,
  'actions refuse': SHOWN,
  'actions retry': 'as actions approve',
  audit: 'says what it has found',
  'log prune': SHOWN,
  'archive move': SHOWN,
  'archive detach': SHOWN,
  'archive attach': SHOWN,
  'liabilities publish': SHOWN,
  'custody rotate-master': WAITS,
  'custody rotate-data': WAITS,
  'custody sweep': 'the service must be stopped',
  'suspension accept': WAITS,
  restore: WAITS,
  'sign-in-link': SHOWN,
};

/** They print by themselves, while they work. */
const OTHERS = ['start', 'migrate', 'pay'];

async function playerWithLimit({ s }: Stage, autoApprove: boolean) {
  const app = await s.createApp({ autoApprove });
  const guest = await s.createGuest(app);
  await s.issue(guest.userId, 100);
  const limits = { maxPerTransfer: 50n, maxPerDay: 100n, days: 7 };
  await grantMandate(s.service.db, { userId: guest.userId, appId: app.id, ...limits } as never);
  return { app, guest };
}

test('every command that changes something waits until that holds, and says what is true at its end', async () => {
  const changing = [...(await commandsOf(HOUSE))].filter(([, { isChange }]) => isChange).map(([name]) => name);
  const wanted = Object.keys(COMMANDS).filter((name) => COMMANDS[name] !== 'reads' && !OTHERS.includes(name));
  const all = await commandsOf(HOUSE);
  assert.deepEqual(
    wanted.filter((name) => all.has(name) && !changing.includes(name)),
    [],
    'declare these with `changes`',
  );
  assert.deepEqual(
    changing.filter((name) => !(name in TRUE_AT_ITS_END)),
    [],
    'add these to TRUE_AT_ITS_END',
  );
});

test('what a command says is true in every process when it ends', async (t) => {
  const s = await sharedService(t, { development: true, env: PRIVATE_TARGETS });
  const { app: other } = await startSecondService(t, s);
  const stage: Stage = {
    s,
    other,
    async run(...args) {
      const { code, out, err } = await runCommand(s.service, ...args, '--json');
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      return JSON.parse(out);
    },
  };
  for (const [name, holds] of Object.entries(TRUE_AT_ITS_END)) {
    if (typeof holds !== 'string') await t.test(name, () => holds(stage));
  }

  await t.test('a key that was revoked while a call was being decided does nothing after the command', async () => {
    const app = await s.createApp();
    const { service } = s;
    const order: string[] = [];
    const [locked, decided] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const deciding = service.db
      .transaction(async (tx) => {
        // As each payment does.
        await tx.query("SELECT FROM accounts WHERE kind = 'treasury' FOR NO KEY UPDATE");
        locked.resolve();
        await decided.promise;
      })
      .then(() => order.push('decided'));
    await locked.promise;
    const key = await keyOf(stage, app);
    const revoking = stage.run('apps', 'keys', 'revoke', app.id, key).then(() => order.push('said'));
    await until('it is revoked', async () => (await newGuest(stage, app.serverKey)) === 401);
    for (let i = 0; i < 20; i++) await service.db.query('SELECT 1');
    decided.resolve();
    await Promise.all([deciding, revoking]);
    assert.deepEqual(order, ['decided', 'said']);
  });

  await t.test('quarters that do not come are not waited for for ever, and a command says so', async () => {
    assert.equal(await waitForArrival(s.service, async () => false, 0), 'late');
    const db = openDatabase(await createDatabase(t));
    atEnd(t, () => db.close());
    const err = new PassThrough();
    const context = { err } as unknown as CliContext;
    await untilArrived(context, { ...s.service, db }, async () => false, 'transfers list');
    const why = 'no service runs, and the next one sends them';
    assert.equal(`${err.read()}`, `The quarters cannot all be spent yet: ${why}. See: npx quarters transfers list\n`);
  });

  await t.test('a new app whose quarters do not come is not waited for for ever', async () => {
    const { id } = await s.createApp();
    assert.equal(await untilTestQuartersArrive(s.service, id, 0), false);
  });
});
