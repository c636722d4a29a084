import assert from 'node:assert/strict';
import { giveGuestTokens } from '../../src/features/guests/create-guest.ts';
import { asApp } from '../kit/unit/callers.ts';
import type { Model, ModelGuest } from '../kit/unit/model.ts';
import type { TokenState } from '../kit/unit/synthetic-chain.ts';
import { type Losses, nonceKey } from './losses.ts';
import { isFrozen } from './refusals.ts';
import type { Tables } from './tables.ts';
import { RULES, type World } from './world.ts';

/** What callers and the chain have of the rows that will be gone. */
export function remember(losses: Losses, tables: Tables, { keyed, granted }: Model): void {
  const requests = new Map(tables.requests.map((request) => [request.id, request]));
  const byId = new Map<string, Tables['transfers'][number]>(
    tables.transfers.map((transfer) => [transfer.id, transfer]),
  );
  const byRequest = Map.groupBy(tables.transfers, ({ request_id }) => request_id);
  for (const { address, kind } of tables.accounts) if (kind !== 'external') losses.accounts.add(address);
  for (const { id, user_id: userId, app_id: appId, amount } of tables.requests) {
    // One of which the chain had a part was made again with that amount.
    const most = Math.max(amount, losses.requests.get(id)?.amount ?? 0);
    losses.requests.set(id, { userId, appId, amount: most });
  }
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
  for (const { key, made } of keyed) {
    for (const [place, one] of made.entries()) {
      const paid = one?.transferId ? [byId.get(`${one.transferId}`)] : byRequest.get(`${one?.requestId}`);
      const own = `${key} line ${place}`;
      for (const transfer of paid ?? []) {
        // A reward pays a part of its own.
        const part = transfer && `${own} from ${transfer.from_address}`;
        if (part) losses.keyed.set(part, (losses.keyed.get(part) ?? new Set()).add(nonceKey(transfer)));
      }
    }
  }
  for (const { userId, key, amount } of granted.values()) losses.granted.set(`${userId} ${key}`, { userId, amount });
}

/** Makes the model one of what is known now, and checks that all is known that the chain tells. `isPart`: some of it may still be mined. */
export async function learn(world: World, lost: Model, isPart: boolean): Promise<void> {
  const { model, losses } = world;
  let tables = await world.read();
  const state = stateOf(world, tables);
  accountsAreKnown(tables, losses, state);
  await claimGuests(world, lost, tables);
  tables = await world.read();
  learnRequests(tables, lost, model, losses);
  learnPayments(tables, model, losses);
  learnPlaces(tables, losses);
  paymentsAreKnown(tables, losses, state, losses.unpaid);
  if (!isPart) requestsAreKnown(tables, losses, state, model);
  keysPaidOnce(losses, state, model);
  requestsPaidOnce(losses, state, model);
  rewardsSpentOnce(losses, state, model);
}

export function stateOf({ chain }: World, { blocks }: Tables): TokenState {
  const cursor = blocks.reduce((a, b) => (a.number > b.number ? a : b));
  return chain.blockByHash(cursor.hash)!.state;
}

export const isUsed = (state: TokenState, key: string) => state.decisions.get(key)?.kind === 'used';
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
function learnRequests(tables: Tables, lost: Model, model: Model, { accepted }: Losses): void {
  // One whose payment was still to come was asked again, and may have been declined or cancelled before that came.
  const paid = new Set([...accepted.values()].map(({ requestId }) => requestId));
  const rows = new Map(tables.requests.map((request) => [request.id, request]));
  for (const { id, guest } of lost.requests) {
    const row = rows.get(id);
    const known = guestIn(model, guest);
    if (!row || !known || model.requests.some((request) => request.id === id)) continue;
    model.requests.push({ id, guest: known, amount: row.amount });
  }
  for (const [i, request] of model.requests.entries()) {
    const { id } = request;
    const { status, amount } = rows.get(id)!;
    // A call that was repeated first knows it with its whole amount.
    if (amount < request.amount) model.requests[i] = { ...request, amount };
    // One that was known, and of which only a part was mined, is cancelled until the other part is.
    if (model.words.get(id) === 'cancelled' && status === 'completed' && paid.has(id)) model.takeBack(id);
    if (model.words.has(id)) continue;
    if (status === 'cancelled') model.give(id, 'cancelled');
    else if (!['pending', 'expired'].includes(status)) {
      assert.ok(lost.words.get(id) === 'approved' || paid.has(id), `${id} is ${status} and was approved`);
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
    if (was && !model.everFailed.has(id)) assert.equal(id, was.id, `the transfer ${was.id} has its id again`);
    if (requestId) model.forget(id);
    const promised = model.promised.get(requestId ?? id);
    const isOfPart = requestId !== null && requests.get(requestId)!.amount < (promised?.amount ?? 0);
    if (promised && !isOfPart) continue;
    if (isOfPart) model.forget(requestId);
    assert.ok(was, `the recovered transfer ${id} was accepted once`);
    assert.deepEqual([from, to, amount], [was.from_address, was.to_address, was.amount]);
    if (!requestId) {
      model.promise(id, { requestId, from, to, amount });
      continue;
    }
    const request = requests.get(requestId)!;
    assert.equal(requestId, was.requestId, `${id} pays what it did`);
    if (request.refund_of) assert.equal(request.refund_of, was.refundOf, `${id} refunds what it did`);
    const payee = was.refundOf ? to : tables.transfers.find(({ request_id }) => request_id === requestId)!.to_address;
    model.promise(requestId, { requestId, from: request.from_address, to: payee, amount: request.amount });
  }
}

/** Where transactions were whose bytes are lost, also if another one has taken their nonces since, and those of strangers. */
function learnPlaces({ relayers, transactions, transfers }: Tables, { places }: Losses): void {
  const stored = new Map(transactions.map(({ relayer, nonce, payload }) => [`${relayer}/${nonce}`, payload]));
  for (const { id, relayer, relayer_nonce } of transfers) {
    const place = `${relayer}/${relayer_nonce}`;
    if (!stored.get(place)?.includes(id)) places.add(place);
  }
  for (const { address, next_nonce } of relayers) {
    for (let nonce = 0; nonce < next_nonce; nonce++)
      if (!stored.has(`${address}/${nonce}`)) places.add(`${address}/${nonce}`);
  }
}

/** Each payment of ours on the chain has its transfer. `late`: those that only the audit may have noticed so far. */
export function paymentsAreKnown(
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

/** Requests, payouts and refunds whose payments the chain shows are found by their ids, and are paid: of all apps and users that are known. */
function requestsAreKnown(
  tables: Tables,
  { accepted, requests: was, unpaid }: Losses,
  state: TokenState,
  model: Model,
): void {
  const requests = new Map(tables.requests.map((request) => [request.id, request]));
  const apps = new Set(tables.accounts.map(({ app_id }) => app_id));
  const users = new Set(tables.accounts.map(({ user_id }) => user_id));
  const legs = Map.groupBy(accepted, ([, { requestId }]) => requestId);
  for (const [id, of] of legs) {
    if (!id || !of.every(([key]) => isUsed(state, key) && !unpaid.has(key))) continue;
    if (of.some(([, one]) => model.everFailed.has(one.id))) continue;
    const { appId, userId } = was.get(id)!;
    if (!apps.has(appId) || !users.has(userId)) continue;
    // A refund is found with the payment that it refunds, which a reorganisation may have taken back.
    if (of.some(([, { refundOf }]) => refundOf && requests.get(refundOf)?.status !== 'completed')) continue;
    assert.equal(requests.get(id)?.status, 'completed', `${id} is found, and is paid`);
  }
  for (const transfer of tables.transfers) {
    const { refundOf } = accepted.get(nonceKey(transfer)) ?? {};
    if (!refundOf || requests.get(refundOf)?.status !== 'completed') continue;
    assert.equal(requests.get(transfer.request_id ?? '')?.refund_of, refundOf, `${transfer.id} is a refund`);
  }
}

/** What the chain has paid and nothing has taken back. */
function lasting({ accepted }: Losses, state: TokenState, { everFailed }: Model) {
  return [...accepted].filter(([key, { id }]) => isUsed(state, key) && !everFailed.has(id)).map(([, one]) => one);
}

/** No key has paid twice, but for what was cancelled and a reorganisation brought back. */
export function keysPaidOnce({ accepted, keyed }: Losses, state: TokenState, model: Model): void {
  for (const [key, nonces] of keyed) {
    const paid = [...nonces].filter((nonce) => isUsed(state, nonce) && !model.everFailed.has(accepted.get(nonce)!.id));
    assert.ok(paid.length <= 1, `payment ${key} was made ${paid.length} times`);
  }
}

/** Of no request, payout and refund more was paid than it was for. */
export function requestsPaidOnce(losses: Losses, state: TokenState, model: Model): void {
  const byRequest = Map.groupBy(lasting(losses, state, model), ({ requestId }) => requestId);
  for (const [id, of] of byRequest) {
    if (!id) continue;
    const paid = of.reduce((sum, { amount }) => sum + amount, 0);
    assert.ok(paid <= losses.requests.get(id)!.amount, `${paid} were paid of ${id}`);
  }
}

/** The treasury pays for no user more than they were ever granted: by keys, as a welcome, and as shares of what they paid. */
export function rewardsSpentOnce(losses: Losses, state: TokenState, model: Model): void {
  const spent = new Map<string, number>();
  const most = new Map<string, number>();
  const add = (sums: Map<string, number>, user: string, amount: number) =>
    sums.set(user, (sums.get(user) ?? 0) + amount);
  for (const { userId, amount } of losses.granted.values()) add(most, userId, amount);
  for (const { requestId, refundOf, from_address: from, amount } of lasting(losses, state, model)) {
    if (!requestId || refundOf) continue;
    const { userId } = losses.requests.get(requestId)!;
    if (from === model.treasury) add(spent, userId, amount);
    else if (model.guests.some(({ address }) => address === from)) add(most, userId, amount * RULES.share);
  }
  for (const [userId, amount] of spent) {
    const granted = (most.get(userId) ?? 0) + RULES.welcome;
    assert.ok(amount <= granted, `the treasury paid ${amount} for ${userId}, who was granted at most ${granted}`);
  }
}
