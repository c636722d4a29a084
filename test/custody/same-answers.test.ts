import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { seedOf } from '../kit/run/seed.ts';
import { assertProblem, call } from '../kit/service/call.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { enableAutoApproval } from '../kit/service/operator-acts.ts';
import { newPlayer } from '../kit/service/player.ts';
import { ranBefore } from '../kit/service/ran-before.ts';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { isReady, isSuspended } from './drill.ts';
import { restored } from './restored.ts';

const DAY_MS = 24 * 3_600_000;

/** A call with a key, or a command. */
type Keyed = { readonly key: string; make(s: TestService): Promise<Answer> };
type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** What of an answer is new: tokens, and when a request was made, which the chain does not say. */
const NEW: readonly string[] = ['access_token', 'firebase_token', 'created'];

function whatIsKept(body: unknown): Record<string, unknown> {
  const answers = Array.isArray(body) ? body : [body];
  return Object.fromEntries(
    answers.flatMap((one: object) => Object.entries(one).filter(([name]) => !NEW.includes(name))),
  );
}

test('all that was made with a key since the backup has its first answer, in any order, and is paid once', async (t) => {
  const { start, copyDatabase, game } = await ranBefore(t);
  const first = await start();
  await isReady(first);
  await enableAutoApproval(first.service, game.id);
  const player = await newPlayer(first, game, 1_000);
  await player.grant(30);
  const limits = { maxPerTransfer: asQuarters(500), maxPerDay: asQuarters(5_000), days: 30 };
  await grantMandate(first.service.db, { userId: player.user.userId, appId: game.id, ...limits });
  await first.settled();
  await first.stop();
  const copy = await copyDatabase();

  const made: { readonly keyed: Keyed; readonly answer: Answer }[] = [];
  const api = (what: string, body: object | undefined, key: string, token = game.serverKey): Keyed => ({
    key,
    async make({ app }) {
      const answer = await call(app, what, { token, ...(body && { body }), headers: { 'idempotency-key': key } });
      return { status: answer.statusCode, body: whatIsKept(answer.json()) };
    },
  });
  const command = (...args: string[]): Keyed => ({
    key: args.join(' '),
    async make({ service }) {
      const { code, out, err } = await runCommand(service, ...args, '--yes', '--json');
      assert.equal(code, 0, err);
      const { replayed, ...body } = JSON.parse(out);
      return { status: code, body };
    },
  });
  const second = await start();
  await isReady(second);
  const make = async (keyed: Keyed) => {
    const answer = await keyed.make(second);
    assert.ok(answer.status < 300, `${keyed.key}: ${JSON.stringify(answer)}`);
    made.push({ keyed, answer });
    return answer.body;
  };
  const { accessToken, userId, address } = player.user;
  const buy = async (tokens: number, key: string) => {
    const { id } = await make(api('POST /v1/requests', { tokens, appId: game.id }, `ask ${key}`, accessToken));
    const terms = { tokens, clientId: game.id, userId, address };
    await make(api(`POST /v1/requests/${id}/autoApprove`, terms, `approve ${key}`, accessToken));
    await second.settled();
    return `${id}`;
  };
  const from = `POST /v1/accounts/${game.address}`;
  // A reward that the backup has pays all of the first one. The second is paid by a reward that it lacks, and by the player.
  const bought = [await buy(30, 'with a reward')];
  await make(command('rewards', 'grant', userId, '50', '--key', 'grant'));
  bought.push(await buy(80, 'with a reward made since'), await buy(40, 'alone'));
  await make(api('POST /v1/requests', { tokens: 9, appId: game.id }, 'ask in vain', accessToken));
  await make(api('POST /v1/new-guest', undefined, 'a guest whom nobody pays'));
  const guest = await make(api('POST /v1/new-guest', undefined, 'a guest'));
  await make(api(`${from}/transfer`, { amount: 11, address: guest.address }, 'by address'));
  await make(api(`${from}/transfer`, { amount: 12, user: guest.user_id }, 'by user'));
  const lines = [
    { user: guest.user_id, amount: 5 },
    { address, amount: 6 },
  ];
  await make(api(`${from}/transfers`, { transfers: lines }, 'bulk'));
  await make(api(`POST /v1/requests/${bought[2]}/refunds`, { amount: 7 }, 'refund'));
  await make(api(`POST /v1/requests/${bought[1]}/refunds`, {}, 'refund of all'));
  await make(command('issue', game.id, '7001', '--key', 'issue'));
  await second.settled();
  const paidBefore = await countPayments(second);
  const transfers = await transfersOf(second, bought);
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await restored(s);
  const seed = seedOf('same answers');
  const places = new Map(made.map(({ keyed }) => [keyed, hash('sha256', `${seed} ${keyed.key}`)]));
  const inSomeOrder = made.toSorted((a, b) => (places.get(a.keyed)! < places.get(b.keyed)! ? -1 : 1));
  for (const { keyed, answer } of inSomeOrder) {
    const again = await keyed.make(s);
    // A reward has an id that nobody was given but its operator.
    if (keyed.key.startsWith('rewards')) assert.equal(again.body.quarters, answer.body.quarters);
    else assert.deepEqual(again, answer, keyed.key);
  }
  for (const { keyed, answer } of made) {
    const id = answer.body.requestId ?? (keyed.key.startsWith('ask') && answer.body.id);
    if (!id) continue;
    const read = await call(s.app, `GET /v1/requests/${id}`, { token: game.serverKey });
    assert.equal(read.statusCode, 200, `${keyed.key}: ${read.body}`);
    assert.equal(read.json().txId, answer.body.txId ?? read.json().txId);
  }
  assert.deepEqual(await transfersOf(s, bought), transfers);
  await s.settled();
  assert.equal(await countPayments(s), paidBefore);
  const [rewards] = await s.service.db.query<{ left: bigint }>(
    'SELECT coalesce(sum(amount - claimed), 0)::bigint AS left FROM rewards WHERE user_id = $1',
    [userId],
  );
  assert.equal(rewards!.left, 0n, 'what was spent of rewards is spent, and granted once');
  assert.deepEqual((await auditLedger(s.service)).differences, []);
});

test('a guest made since the backup whom nobody has paid is asked again by a server key, with the same request', async (t) => {
  const { start, copyDatabase, game, pay } = await ranBefore(t);
  const first = await start();
  const token = await issueKey(first.service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  await first.stop();
  const copy = await copyDatabase();
  const second = await start();
  await isReady(second);
  const headers = { 'idempotency-key': 'the same' };
  const [guest] = (await call(second.app, 'POST /v1/new-guest', { token, headers })).json();
  const body = { tokens: 5, appId: game.id, userId: guest.user_id };
  const ask = ({ app }: TestService) => call(app, 'POST /v1/requests', { token, headers, body });
  const asked = await ask(second);
  assert.equal(asked.statusCode, 201, asked.body);
  await pay(second, 3);
  await second.settled();
  await second.stop();

  const s = await start(copy);
  await isSuspended(s);
  await restored(s);
  const again = await ask(s);
  assert.equal(again.statusCode, 201, again.body);
  assert.equal(again.json().id, asked.json().id);
});

test('a request that was paid yesterday is not made anew by its key while payments are suspended', async (t) => {
  const { start, copyDatabase, game, guest } = await ranBefore(t);
  const first = await start();
  await isReady(first);
  await enableAutoApproval(first.service, game.id);
  const token = await issueKey(first.service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  const { userId } = guest;
  const limits = { maxPerTransfer: asQuarters(5), maxPerDay: asQuarters(50), days: 2 };
  await grantMandate(first.service.db, { userId, appId: game.id, ...limits });
  await first.stop();
  const copy = await copyDatabase();
  const body = { tokens: 5, appId: game.id, userId };
  const ask = ({ app }: TestService) =>
    call(app, 'POST /v1/requests', { token, body, headers: { 'idempotency-key': 'ask' } });
  const second = await start();
  await isReady(second);
  const { id } = (await ask(second)).json();
  const terms = { clientId: game.id, userId };
  assert.equal((await call(second.app, `POST /v1/requests/${id}/autoApprove`, { token, body: terms })).statusCode, 200);
  await second.settled();
  await second.stop();

  t.mock.timers.enable({ apis: ['Date'], now: Math.ceil(Date.now() / DAY_MS) * DAY_MS + 60_000 });
  const s = await start(copy);
  await isSuspended(s);
  assertProblem(await ask(s), 503, 'payments-suspended');
  await restored(s);
  assert.equal((await ask(s)).json().id, id);
});

async function countPayments({ service }: TestService): Promise<bigint> {
  const [row] = await service.db.query<{ count: bigint }>('SELECT count(*) AS count FROM postings WHERE amount > 0');
  return row!.count;
}

async function transfersOf({ service }: TestService, requests: readonly string[]): Promise<unknown[]> {
  return service.db.query(
    `SELECT id, request_id, amount, encode(tx_hash, 'hex') AS hash FROM transfers WHERE request_id = ANY($1::uuid[]) ORDER BY id`,
    [requests],
  );
}
