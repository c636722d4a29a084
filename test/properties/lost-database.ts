import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { restoreFromChain } from '../../src/features/restore/restore.ts';
import { asApp } from '../kit/unit/callers.ts';
import type { Model, ModelGuest } from '../kit/unit/model.ts';
import type { TokenState } from '../kit/unit/synthetic-chain.ts';
import { expectedRefusal, isFrozen, perform } from './acts.ts';
import { follow } from './drain.ts';
import { type Losses, nonceKey } from './losses.ts';
import { seededRandom } from './random.ts';
import type { Tables } from './tables.ts';
import type { World } from './world.ts';

/** What happens to the node's pool at that moment, in percent; and whether games repeat their calls before the rest of it is mined. */
export type Loss = {
  readonly share: number;
  readonly drop: number;
  readonly repeatsAtOnce: boolean;
  readonly seed: number;
};

/**
 * Throws the database away, starts again with the copy, and has the program restore what the chain knows. Checks what then has to be known,
 * and leaves a model of it: rows that only the lost database had are forgotten, and games claim their guests.
 */
export async function loseDatabase(world: World, loss: Loss, before: Tables): Promise<void> {
  const { chain, copied, losses } = world;
  // Without contracts a start waits for their deployment.
  if (!copied || chain.head.state.contracts.size < 2) return;
  remember(losses, before, world.model);
  chain.calm();
  chain.mine({ ...loss, random: seededRandom(loss.seed) });
  chain.forgetBlocked();
  const lost = world.model;
  world.model = copied.model.copy();
  world.model.keyed.splice(0, Infinity, ...lost.keyed);
  for (const id of lost.everFailed) world.model.everFailed.add(id);
  await world.startFromCopy();
  forgetGivenAnew(losses, copied.tables);
  await follow(world.service);
  const waiting = await restore(world, null);
  await learn(world, lost, waiting > 0);
  if (loss.repeatsAtOnce) await repeatAll(world);
  if (waiting > 0) {
    const everything = { share: 100, drop: 0, random: seededRandom(loss.seed) };
    chain.mine(everything);
    chain.mine(everything);
    await follow(world.service);
    await restore(world, copied.at);
    await learn(world, lost, false);
  }
  for (const key of await unknownOf(world)) {
    const decision = chain.head.state.decisions.get(key);
    if (decision?.kind !== 'used') losses.unpaid.add(key);
    if (decision?.kind === 'canceled') world.model.everFailed.add(losses.accepted.get(key)!.id);
  }
}

/** The copy gives nonces anew that an earlier loss had taken away. */
function forgetGivenAnew({ places }: Losses, { relayers }: Tables): void {
  for (const { address, next_nonce } of relayers) {
    for (const place of places) {
      const [relayer, nonce] = place.split('/');
      if (relayer === address && Number(nonce) >= next_nonce) places.delete(place);
    }
  }
}

/** The transfers that were accepted once and that the database does not have. */
async function unknownOf({ losses, read }: World): Promise<string[]> {
  const known = new Set((await read()).transfers.map(nonceKey));
  return [...losses.accepted.keys()].filter((key) => !known.has(key));
}

/** The last block that the copy has of the chain as it is now; -1 if there is none. */
function lastShared({ chain, copied }: World): number {
  return Math.max(
    -1,
    ...copied!.tables.blocks.filter(({ hash }) => chain.isCanonical(hash)).map(({ number }) => number),
  );
}

/** Runs the program's restore. Returns how many transactions still wait in the pool. */
async function restore(world: World, since: Date | null): Promise<number> {
  const { service, chain } = world;
  if (!since && !service.readiness.suspended) {
    // What the copy had read itself is no longer news: a cancelled authorization, found by an earlier restore, has no transfer.
    const read = lastShared(world);
    const lost = (await unknownOf(world)).filter((key) => (chain.head.state.decisions.get(key)?.block ?? -1n) > read);
    assert.deepEqual(lost, [], 'payments are suspended if the chain knows more');
    return 0;
  }
  // What is not mined is waited for by the clock.
  const now = performance.now.bind(performance);
  let ahead = 0;
  const clock = mock.method(performance, 'now', () => now() + ahead);
  try {
    const report = await restoreFromChain(service, since, (what) => {
      if (what.startsWith('Waiting')) ahead += 60_000;
    });
    assert.deepEqual(report.audit.differences, []);
    assert.ok(report.resumed);
    return report.waiting;
  } finally {
    clock.mock.restore();
  }
}

/** What callers and the chain have of the rows that will be gone. */
function remember(losses: Losses, tables: Tables, { keyed }: Model): void {
  const requests = new Map(tables.requests.map((request) => [request.id, request]));
  const byId = new Map<string, Tables['transfers'][number]>(
    tables.transfers.map((transfer) => [transfer.id, transfer]),
  );
  for (const { address, kind } of tables.accounts) if (kind !== 'external') losses.accounts.add(address);
  for (const transfer of tables.transfers) {
    const { id, from_address, to_address, amount, request_id: requestId } = transfer;
    const earlier = losses.accepted.get(nonceKey(transfer));
    const refundOf = (requestId && requests.get(requestId)?.refund_of) || null;
    losses.accepted.set(nonceKey(transfer), {
      ...{ id, from_address, to_address, amount },
      requestId: earlier?.requestId ?? requestId,
      refundOf: earlier?.refundOf ?? refundOf,
    });
  }
  for (const { key, transferId } of keyed) {
    const transfer = transferId && byId.get(transferId);
    if (transfer) losses.keyed.set(key, (losses.keyed.get(key) ?? new Set()).add(nonceKey(transfer)));
  }
}

/** Makes the model one of what is known now, and checks that all is known that the chain tells. `isPart`: some of it may still be mined. */
async function learn(world: World, lost: Model, isPart: boolean): Promise<void> {
  const { model, losses } = world;
  let tables = await world.read();
  const state = stateOf(world, tables);
  accountsAreKnown(tables, losses, state);
  await claimGuests(world, lost, tables);
  tables = await world.read();
  for (const request of lost.requests) {
    if (model.requests.some(({ id }) => id === request.id)) continue;
    losses.found.add(request.id);
  }
  tables = await world.read();
  learnRequests(tables, lost, model);
  learnPayments(tables, model, losses);
  learnRewards(tables, model);
  learnKeyed(tables, model, losses);
  learnPlaces(tables, losses);
  paymentsAreKnown(tables, losses, state, losses.unpaid);
  if (!isPart) requestsAreKnown(tables, losses, state);
  keysPaidOnce(losses, state, model);
}

function stateOf({ chain }: World, { blocks }: Tables): TokenState {
  const cursor = blocks.reduce((a, b) => (a.number > b.number ? a : b));
  return chain.blockByHash(cursor.hash)!.state;
}

const isUsed = (state: TokenState, key: string) => state.decisions.get(key)?.kind === 'used';
const oursIn = ({ accounts }: Tables) =>
  new Set(accounts.filter(({ kind }) => kind !== 'external').map(({ address }) => address));

/** Each account of ours that another one of ours has paid is known, with its key. */
function accountsAreKnown(tables: Tables, { accepted, accounts }: Losses, state: TokenState): void {
  const ours = oursIn(tables);
  for (const [key, { from_address, to_address }] of accepted) {
    if (!isUsed(state, key) || !ours.has(from_address) || !accounts.has(to_address)) continue;
    assert.ok(ours.has(to_address), `${to_address} was paid by us, and is known again`);
  }
}

/** Games ask for the tokens of the guests that they were given since. Those of suspended apps, and of apps made since, are left. */
async function claimGuests({ service, model }: World, lost: Model, tables: Tables): Promise<void> {
  for (const guest of lost.guests) {
    const isKnown = model.guests.some(({ userId }) => userId === guest.userId);
    const app = model.apps.find(({ id }) => id === guest.app.id);
    if (isKnown || !app || isFrozen(tables, app)) continue;
    const { address, pageToken } = await giveGuestTokens(service, asApp(app.id), guest.userId);
    assert.equal(address, guest.address);
    model.guests.push({ ...guest, pageToken, app });
  }
}

const guestIn = ({ guests }: Model, { userId }: ModelGuest) => guests.find((guest) => guest.userId === userId);

/** Requests that are known again, and what the chain says was decided. */
function learnRequests(tables: Tables, lost: Model, model: Model): void {
  const rows = new Map(tables.requests.map((request) => [request.id, request]));
  for (const { id, guest } of lost.requests) {
    const row = rows.get(id);
    const known = guestIn(model, guest);
    if (!row || !known || model.requests.some((request) => request.id === id)) continue;
    model.requests.push({ id, guest: known, amount: row.amount });
  }
  for (const { id } of model.requests) {
    if (model.words.has(id)) continue;
    const { status } = rows.get(id)!;
    if (status === 'cancelled') model.give(id, 'cancelled');
    else if (!['pending', 'expired'].includes(status)) {
      assert.equal(lost.words.get(id), 'approved', `${id} is ${status} and was approved`);
      model.give(id, 'approved');
    }
  }
}

/** Each transfer that nobody in the model was promised is one that was accepted before, as it was. */
function learnPayments(tables: Tables, model: Model, { accepted }: Losses): void {
  const requests = new Map(tables.requests.map((request) => [request.id, request]));
  for (const transfer of tables.transfers) {
    const { id, request_id: requestId, from_address: from, to_address: to, amount } = transfer;
    const was = accepted.get(nonceKey(transfer));
    if (was && model.everFailed.has(was.id)) model.everFailed.add(id);
    if (requestId) model.forget(id);
    if (model.promised.has(requestId ?? id)) continue;
    assert.ok(was, `the recovered transfer ${id} was accepted once`);
    assert.deepEqual([from, to, amount], [was.from_address, was.to_address, was.amount]);
    if (!requestId) {
      model.promise(id, { requestId, from, to, amount });
      continue;
    }
    const request = requests.get(requestId)!;
    if (request.refund_of) assert.equal(request.refund_of, was.refundOf, `${id} refunds what it did`);
    else assert.equal(requestId, was.requestId, `${id} pays the request that it did`);
    const payee = was.refundOf ? to : tables.transfers.find(({ request_id }) => request_id === requestId)!.to_address;
    model.promise(requestId, { requestId, from: request.from_address, to: payee, amount: request.amount });
  }
}

/** What was spent of rewards that are lost is recorded as rewards of the operator that are used up. */
function learnRewards({ rewards }: Tables, model: Model): void {
  for (const { id, user_id, amount, claimed, source, key } of rewards) {
    if (source !== 'operator' || !key.startsWith('recovered ') || model.granted.has(id)) continue;
    assert.equal(claimed, amount);
    model.grant(id, { userId: user_id as ModelGuest['userId'], amount, key });
  }
}

/** Which keyed payments are answered when they are repeated, and with what. */
function learnKeyed({ transfers }: Tables, model: Model, { keyed }: Losses): void {
  const byNonce = new Map(transfers.map((transfer) => [nonceKey(transfer), transfer]));
  const now = model.keyed.flatMap((payment) => {
    const guest = guestIn(model, payment.guest);
    if (!guest) return [];
    const known = [...(keyed.get(payment.key) ?? [])].flatMap((key) => byNonce.get(key) ?? [])[0];
    const current = transfers.find(({ id }) => id === payment.transferId) ?? known;
    return [{ ...payment, guest, transferId: current?.id ?? null, requestId: current?.request_id ?? null }];
  });
  model.keyed.splice(0, Infinity, ...now);
}

/** Where transactions were whose bytes are lost, and those of strangers. */
function learnPlaces({ relayers, transactions, transfers }: Tables, { places }: Losses): void {
  const stored = new Set(transactions.map(({ relayer, nonce }) => `${relayer}/${nonce}`));
  for (const { relayer, relayer_nonce } of transfers) {
    if (!stored.has(`${relayer}/${relayer_nonce}`)) places.add(`${relayer}/${relayer_nonce}`);
  }
  for (const { address, next_nonce } of relayers) {
    for (let nonce = 0; nonce < next_nonce; nonce++)
      if (!stored.has(`${address}/${nonce}`)) places.add(`${address}/${nonce}`);
  }
}

/** Each payment of ours on the chain has its transfer. `late`: those that only the audit may have noticed so far. */
function paymentsAreKnown(
  tables: Tables,
  { accepted }: Losses,
  state: TokenState,
  late: ReadonlySet<string> = new Set(),
): void {
  const ours = oursIn(tables);
  const known = new Set(tables.transfers.map(nonceKey));
  for (const [key, { from_address, id }] of accepted) {
    if (isUsed(state, key) && ours.has(from_address) && !late.has(key))
      assert.ok(known.has(key), `the payment that was ${id} is known`);
  }
}

/** Requests and refunds whose payments the chain shows are known as paid. */
function requestsAreKnown(tables: Tables, { accepted }: Losses, state: TokenState): void {
  const requests = new Map(tables.requests.map((request) => [request.id, request]));
  const legs = Map.groupBy(accepted, ([, { requestId }]) => requestId);
  for (const [id, of] of legs) {
    const request = id && requests.get(id);
    if (request && of.every(([key]) => isUsed(state, key))) assert.equal(request.status, 'completed', `${id} is paid`);
  }
  for (const transfer of tables.transfers) {
    const { refundOf } = accepted.get(nonceKey(transfer)) ?? {};
    if (!refundOf || requests.get(refundOf)?.status !== 'completed') continue;
    assert.equal(requests.get(transfer.request_id ?? '')?.refund_of, refundOf, `${transfer.id} is a refund`);
  }
}

/** No key has paid twice, but for what was cancelled and a reorganisation brought back. */
function keysPaidOnce({ accepted, keyed }: Losses, state: TokenState, model: Model): void {
  for (const [key, nonces] of keyed) {
    const paid = [...nonces].filter((nonce) => isUsed(state, nonce) && !model.everFailed.has(accepted.get(nonce)!.id));
    assert.ok(paid.length <= 1, `payment ${key} was made ${paid.length} times`);
  }
}

/** All games repeat all their calls. */
async function repeatAll({ service, model, read }: World): Promise<void> {
  for (let payment = 0; payment < model.keyed.length; payment++) {
    const act = { act: 'repeat', payment } as const;
    const expected = expectedRefusal(await read(), model, act);
    assert.equal((await perform(service, model, act)).refused, expected, 'the answer to a repeated call');
  }
}

/** At the end of a run, when everything was mined: each payment of ours is known, and none was made twice, whatever was lost. */
export async function assertLossesRepaired(world: World, tables: Tables): Promise<void> {
  const { losses, model, service } = world;
  if (losses.accepted.size === 0) return;
  remember(losses, tables, model);
  const state = stateOf(world, tables);
  const late = (await unknownOf(world)).filter((key) => losses.unpaid.has(key) && isUsed(state, key));
  // The audit names them, and the operator looks once more.
  if (late.length > 0) await restore(world, world.copied!.at);
  paymentsAreKnown(await world.read(), losses, state);
  keysPaidOnce(losses, state, model);
  assert.deepEqual((await auditLedger(service)).differences, []);
}
