import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import type { NewGuest } from '../../src/features/guests/create-guest.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { call } from '../kit/service/call.ts';
import { type KillPoint, runCommandProcess } from '../kit/service/crash-service.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { cancelTransfer, enableAutoApproval, issueAs } from '../kit/service/operator-acts.ts';
import type { Payment } from '../kit/service/payment.ts';
import { newPlayer, type Player } from '../kit/service/player.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestApp, TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

export const isSuspended = ({ service }: TestService) =>
  until('payments are suspended', () => service.readiness.suspended && service.readiness.chain === 'ok');

export const isReady = ({ service }: TestService) =>
  until('the database is compared', () => service.readiness.compared === 'done');

/** The key of a refund of a request that was made since the backup, too. */
export const REFUND_OF_SINCE = 'refund of since';

/** A call that a game has made, and may make again. `paid`: whom it paid how much. */
export type Call = {
  readonly what: string;
  readonly body: object;
  readonly key: string | null;
  readonly paid: readonly { readonly user: string; readonly amount: number }[];
  readonly answer: Record<string, unknown>;
};

/** A game with players of each kind, as a backup has them. */
export type Economy = {
  readonly game: TestApp;
  readonly guests: NewGuest[];
  readonly player: Player;
  /** Requests that wait for an answer. */
  readonly asked: readonly Pick<Payment, 'id' | 'guest'>[];
  /** Payments that are completed and can be refunded. */
  readonly bought: readonly string[];
  /** A file of payments, of which nothing is paid yet, and what it is called. */
  readonly file: string;
  readonly batch: string;
  /** The Idempotency-Key of an issue, and an operator's action. */
  readonly issue: string;
  readonly action: string;
};

/** The economy up to the backup. */
export async function growEconomy(t: TestContext, s: TestService, game: TestApp, guests: number): Promise<Economy> {
  const all = await Promise.all(Array.from({ length: guests }, () => s.createGuest(game)));
  await enableAutoApproval(s.service, game.id);
  const player = await newPlayer(s, game, 1_000);
  await player.grant(30);
  await grantMandate(s.service.db, {
    ...{
      userId: player.user.userId,
      appId: game.id,
      maxPerTransfer: asQuarters(50),
      maxPerDay: asQuarters(500),
      days: 30,
    },
  });
  const bought: string[] = [];
  // The first takes all of the reward.
  for (const amount of [30, 20, 20, 20]) bought.push((await player.spend(amount)).id);
  await player.grant(25);
  const asked: Payment[] = [];
  for (const amount of [40, 11, 12, 13]) asked.push(await player.ask(amount));
  await s.settled();
  const folder = mkdtempSync(join(tmpdir(), 'quarters-drill-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'prizes.csv');
  writeFileSync(
    file,
    ['recipient,amount', ...all.slice(0, 20).map(({ userId }, i) => `${userId},${100 + i}`)].join('\n'),
  );
  const names = { batch: `prizes of ${game.id}`, issue: `issue for ${game.id}`, action: randomUUID() };
  return { game, guests: all, player, asked, bought, file, ...names };
}

export async function ask(
  s: TestService,
  { serverKey }: Pick<TestApp, 'serverKey'>,
  what: string,
  body: object,
  key: string | null = null,
): Promise<Record<string, unknown>> {
  const headers = key === null ? {} : { 'idempotency-key': key };
  const send = () => call(s.app, what, { token: serverKey, body, headers });
  let answer = await send();
  // On a busy machine the database may take no connection for ten seconds.
  for (let i = 0; i < 5 && answer.statusCode === 503; i++) answer = await send();
  assert.ok(answer.statusCode < 300, `${what}: ${answer.body}`);
  return answer.json();
}

/** One call of the game. */
async function make(s: TestService, game: TestApp, one: Omit<Call, 'answer'>): Promise<Call> {
  return { ...one, answer: await ask(s, game, one.what, one.body, one.key) };
}

/** Everything that moves quarters, once or often, since the backup. Returns the calls that may be repeated. */
export async function payEverywhere(
  s: TestService,
  { game, guests, player, asked, bought, file, batch, issue, action }: Economy,
  later: readonly NewGuest[],
  payouts: number,
): Promise<Call[]> {
  const calls: Call[] = [];
  const everyone = [...guests, ...later];
  const from = `POST /v1/accounts/${game.address}`;
  const payout = (i: number, key: string | null) => {
    const [user, amount] = [
      everyone[(everyone.length - 1 - i + everyone.length * 10) % everyone.length]!.userId,
      1 + (i % 9),
    ];
    return { what: `${from}/transfer`, body: { amount, user }, key, paid: [{ user, amount }] };
  };
  const all = Array.from({ length: payouts }, (_, i) => make(s, game, payout(i, i % 3 === 0 ? null : `payout ${i}`)));
  calls.push(...(await Promise.all(all)));
  const lines = later.map(({ userId: user }, i) => ({ user, amount: 10 + (i % 7) }));
  calls.push(await make(s, game, { what: `${from}/transfers`, body: { transfers: lines }, key: 'bulk', paid: lines }));

  // On the page with a reward, on the page, by the app under the player's limit. The last is left waiting.
  for (const payment of asked.slice(0, 2)) await approve(s, payment);
  const byPlayer = { serverKey: player.user.accessToken };
  await ask(s, byPlayer, `POST /v1/requests/${asked[2]!.id}/autoApprove`, {
    ...{ tokens: 12, clientId: game.id, userId: player.user.userId, address: player.user.address },
  });
  const back = { user: player.user.userId };
  calls.push(
    await make(s, game, {
      what: `POST /v1/requests/${bought[1]}/refunds`,
      body: {},
      key: 'refund all',
      paid: [{ ...back, amount: 20 }],
    }),
    await make(s, game, {
      what: `POST /v1/requests/${bought[2]}/refunds`,
      body: { amount: 5 },
      key: 'refund 1',
      paid: [{ ...back, amount: 5 }],
    }),
    await make(s, game, {
      what: `POST /v1/requests/${bought[2]}/refunds`,
      body: { amount: 5 },
      key: 'refund 2',
      paid: [{ ...back, amount: 5 }],
    }),
    await make(s, game, {
      what: `POST /v1/requests/${bought[3]}/refunds`,
      body: { amount: 3 },
      key: null,
      paid: [{ ...back, amount: 3 }],
    }),
  );
  const caller = asUser(player.user.userId, game.id);
  const since = await createRequest(s.service, caller, { tokens: 16, appId: game.id });
  await approve(s, { id: since.id, guest: asked[0]!.guest });
  await s.settled();
  calls.push(
    await make(s, game, {
      what: `POST /v1/requests/${since.id}/refunds`,
      body: { amount: 4 },
      key: REFUND_OF_SINCE,
      paid: [{ ...back, amount: 4 }],
    }),
  );
  await issueQuarters(s.service, { recipient: later[0]!.address, amount: asQuarters(77), key: issue });
  await issueAs(s.service, action, later[0]!.address, 88);
  assert.equal((await runCommand(s.service, 'pay', '--file', file, '--batch', batch, '--yes')).code, 0);
  await s.settled();
  return calls;
}

/** The player approves on the page. */
export async function approve(s: TestService, { id: requestId, guest }: Pick<Payment, 'id' | 'guest'>) {
  const formToken = issueFormToken(s.service, requestId, guest.pageToken);
  await approveOrDecline(s.service, { requestId, formToken, decision: 'approve', nextTime: null, session: null });
}

/** A payment of the game that the operator cancels, while the token is paused. */
export async function payAndCancel(
  s: TestService,
  { game, guests }: Economy,
  faulty: Parameters<typeof asAdmin>[0]['faulty'],
): Promise<Call> {
  await asAdmin({ ...s, faulty }, PAUSE);
  const user = guests[0]!.userId;
  const cancelled = await make(s, game, {
    ...{ what: `POST /v1/accounts/${game.address}/transfer`, body: { amount: 9, user }, key: 'cancelled' },
    paid: [{ user, amount: 9 }],
  });
  const [row] = await s.service.db.query<{ id: string }>('SELECT id FROM transfers ORDER BY created_at DESC LIMIT 1');
  await cancelTransfer(s.service, row!.id);
  await until('it is cancelled', async () => {
    const [transfer] = await s.service.db.query<{ status: string }>('SELECT status FROM transfers WHERE id = $1', [
      row!.id,
    ]);
    return transfer!.status === 'failed';
  });
  await asAdmin({ ...s, faulty }, UNPAUSE);
  await s.settled();
  return cancelled;
}

/** The balances of all accounts of ours, by address. */
export async function balancesOf({ service }: TestService): Promise<Map<string, bigint>> {
  const rows = await service.db.query<{ address: string; posted: bigint }>(
    `SELECT address, posted FROM accounts WHERE kind <> 'external' AND posted > 0`,
  );
  return new Map(rows.map(({ address, posted }) => [address, posted]));
}

/** `quarters restore` in a process of its own, which is killed at a point. Resolves with its output. */
export function restoreInProcess(t: TestContext, s: TestService, rpcUrl: string, point: KillPoint): Promise<string> {
  return runCommandProcess(['restore', '--yes', '--json'], besideIt(t, s, rpcUrl), point);
}

/** The settings of a command on this service's database, or on a copy of it. */
export function besideIt(
  t: TestContext,
  { service, databaseUrl }: Pick<TestService, 'service' | 'databaseUrl'>,
  rpcUrl: string,
): Record<string, string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-drill-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return {
    ...{ PATH: process.env.PATH, HOME: folder, QUARTERS_DATA_DIR: folder },
    ...{ NODE_OPTIONS: process.env.NODE_OPTIONS, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    ...{
      DATABASE_URL: databaseUrl,
      CHAIN_RPC_URL: rpcUrl,
      MASTER_KEY: service.settings.masterKey?.toString('hex'),
    },
  };
}
