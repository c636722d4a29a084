import assert from 'node:assert/strict';
import type { Model } from '../kit/unit/model.ts';
import type { Block, SyntheticChain } from '../kit/unit/synthetic-chain.ts';
import { type Losses, nonceKey } from './losses.ts';
import { isOfLost, MAX_PENDING, pendingOf } from './refusals.ts';
import { everyTransitionHasItsEvent, transitionsAreLegal, transitionsOf } from './request-invariants.ts';
import type { Tables } from './tables.ts';
import { transactionsAddUp, transactionsAreClosed, transactionsAreInTheChain } from './transaction-invariants.ts';
import { CAPS, type World } from './world.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const ON_ITS_WAY = new Set(['approved', 'submitted']);

/** Whether a transfer is on its way: the chain has neither paid nor cancelled it. */
export const isOpen = ({ status }: Tables['transfers'][number]): boolean => ON_ITS_WAY.has(status);

function sums(entries: Iterable<readonly [string, number]>): Map<string, number> {
  const result = new Map<string, number>();
  for (const [key, amount] of entries) result.set(key, (result.get(key) ?? 0) + amount);
  return result;
}

/** Invariants after every step, whatever happened. Throws and names the broken invariant. */
export function assertInvariants(
  tables: Tables,
  { chain, model, losses }: Pick<World, 'chain' | 'model' | 'losses'>,
): void {
  ledgerAddsUp(tables);
  holdsAreTransfersOnTheirWay(tables);
  openTransfersAreListed(tables);
  const cursor = [...tables.blocks].sort((a, b) => a.number - b.number).at(-1);
  if (cursor) {
    assert.ok(cursor.complete, 'a block this small is posted at once');
    const followed = chain.blockByHash(cursor.hash);
    assert.ok(followed, 'the followed block is one the chain had');
    ledgerIsTheBlock(tables, followed);
    transfersAreDecidedByTheBlock(tables, followed);
    if (chain.isCanonical(cursor.hash)) transactionsAreInTheChain(tables, followed);
  }
  transitionsAreLegal(tables);
  requestsAreTheirTransfers(tables);
  everyTransitionHasItsEvent(tables);
  promisesAreKept(tables, model);
  transactionsAddUp(tables, losses.places);
  mandatesAddUp(tables);
  serverKeysKeepTheirCaps(tables);
  rewardsAddUp(tables, model, losses);
  refundsAddUp(tables, model);
  rulesKeepTheirCaps(tables);
}

function ledgerAddsUp({ accounts, postings }: Tables): void {
  const total = accounts.reduce((sum, { posted }) => sum + posted, 0);
  assert.equal(total, 0, 'posted of all accounts adds up to nothing');
  const expected = sums(
    postings.flatMap(({ from_address, to_address, amount }) => [
      [from_address, -amount] as const,
      [to_address, amount] as const,
    ]),
  );
  for (const { address, posted } of accounts) {
    assert.equal(posted, expected.get(address) ?? 0, `posted of ${address} is the sum of its postings`);
  }
}

function holdsAreTransfersOnTheirWay({ accounts, transfers, rewards }: Tables): void {
  const expected = sums(transfers.filter(isOpen).map(({ from_address, amount }) => [from_address, amount] as const));
  const unclaimed = rewards.reduce((sum, { amount, claimed }) => sum + Math.max(amount - claimed, 0), 0);
  for (const { address, kind, held } of accounts) {
    const promised = kind === 'treasury' ? unclaimed : 0;
    assert.equal(held, (expected.get(address) ?? 0) + promised, `held of ${address} is what is on its way from it`);
  }
}

/** A transfer is open exactly if it is listed, by the nonce that its authorization has and with the same accounts. */
function openTransfersAreListed({ transfers, open_transfers }: Tables): void {
  const expected = transfers.filter(isOpen).map(({ id, authorization_nonce, from_address, to_address }) => ({
    ...{ authorization_nonce, transfer_id: id, from_address, to_address },
  }));
  const byId = (a: { transfer_id: string }, b: { transfer_id: string }) => (a.transfer_id < b.transfer_id ? -1 : 1);
  const listed = open_transfers.map(({ accepted_at, ...open }) => open);
  assert.deepEqual(listed.sort(byId), expected.sort(byId), 'the open transfers are listed');
}

function ledgerIsTheBlock({ accounts }: Tables, { state, number }: Block): void {
  const ledger = new Map(accounts.map(({ address, posted }) => [address, posted]));
  assert.equal(
    0 - (ledger.get(ZERO) ?? 0),
    Number(state.supply),
    `the zero address is short of the supply at ${number}`,
  );
  ledger.delete(ZERO);
  for (const address of new Set([...ledger.keys(), ...state.balances.keys()])) {
    const onChain = Number(state.balances.get(address) ?? 0n);
    assert.equal(ledger.get(address) ?? 0, onChain, `posted of ${address} is the token's balance at block ${number}`);
  }
}

function transfersAreDecidedByTheBlock({ transfers }: Tables, { state, number }: Block): void {
  for (const transfer of transfers) {
    const decision = state.decisions.get(`${transfer.from_address}/${transfer.authorization_nonce}`);
    const name = `transfer ${transfer.id} at block ${number}`;
    assert.equal(transfer.status === 'completed', decision?.kind === 'used', `completed is used: ${name}`);
    assert.equal(transfer.status === 'failed', decision?.kind === 'canceled', `failed is cancelled: ${name}`);
    assert.equal(transfer.decided_block, decision ? Number(decision.block) : null, `the deciding block of ${name}`);
    if (decision) assert.equal(transfer.tx_hash, decision.txHash, `the deciding transaction of ${name}`);
  }
}

function requestsAreTheirTransfers({ requests, transfers, accounts }: Tables): void {
  const treasury = accounts.find(({ kind }) => kind === 'treasury')?.address;
  const byRequest = Map.groupBy(transfers, ({ request_id }) => request_id);
  for (const { id, status, from_address, amount } of requests) {
    const own = byRequest.get(id) ?? [];
    const name = `request ${id} (${status}) and its transfers (${own.map((transfer) => transfer.status)})`;
    if (['pending', 'declined', 'expired', 'cancelled'].includes(status)) {
      assert.deepEqual(own, [], name);
      continue;
    }
    assert.equal(
      own.reduce((sum, transfer) => sum + transfer.amount, 0),
      amount,
      `${name} are of one amount`,
    );
    const payers = own.map((transfer) => transfer.from_address);
    assert.ok(
      payers.length === new Set(payers).size && payers.every((payer) => [from_address, treasury].includes(payer)),
    );
    assert.ok(
      own.every(({ is_split }) => is_split === own.length > 1),
      `${name} are split`,
    );
    if (own.length === 1) assert.equal(status, own[0]!.status, name);
    // One of two legs may be ahead of the other: the request is on its way until both are settled.
    else if (own.some(isOpen)) assert.ok(ON_ITS_WAY.has(status), name);
    else assert.equal(status, own.every((transfer) => transfer.status === 'completed') ? 'completed' : 'failed', name);
    // It was submitted in the eyes of its app before: then a leg was, too.
    if (status === 'submitted')
      assert.ok(
        own.some((transfer) => transfer.status === 'submitted'),
        name,
      );
  }
}

function promisesAreKept({ requests, transfers, accounts }: Tables, model: Model): void {
  const isTreasury = new Set(accounts.filter(({ kind }) => kind === 'treasury').map(({ address }) => address));
  const status = new Map(requests.map((request) => [request.id, request.status]));
  for (const { id } of model.requests) {
    const word = model.words.get(id);
    const now = status.get(id);
    if (word === 'declined' || word === 'cancelled') assert.equal(now, word);
    else if (word === 'approved') assert.ok(!['pending', 'declined', 'expired', 'cancelled'].includes(now!), `${id}`);
    else assert.ok(now === 'pending' || now === 'expired', `nobody decided ${id}, but it is ${now}`);
  }
  for (const [key, promised] of model.promised) {
    const kept = transfers.filter(({ id, request_id }) => id === key || request_id === key);
    assert.ok(kept.length > 0, `the promised transfer ${key} is there`);
    assert.equal(
      kept.reduce((sum, { amount }) => sum + amount, 0),
      promised.amount,
    );
    for (const { request_id, from_address, to_address } of kept) {
      // A reward may pay for the payer.
      const from = promised.requestId && isTreasury.has(from_address) ? promised.from : from_address;
      assert.deepEqual({ requestId: request_id, from, to: to_address, amount: promised.amount }, promised);
    }
  }
  const kept = new Set(transfers.map(({ id, request_id }) => request_id ?? id));
  assert.equal(kept.size, model.promised.size, 'every transfer was promised to somebody');
}

function mandatesAddUp({ mandates, requests }: Tables): void {
  for (const { user_id, app_id, max_per_transfer, max_per_day, spent_today, spent_on } of mandates) {
    const taken = requests
      .filter((request) => request.user_id === user_id && request.app_id === app_id)
      .flatMap((request) => transitionsOf(request).map((transition) => ({ ...transition, amount: request.amount })))
      .filter(({ event, actor, at }) => {
        return event === 'approve' && actor === `app:${app_id}` && new Date(at).toISOString().startsWith(spent_on);
      })
      .map(({ amount }) => amount);
    const spent = taken.reduce((sum, amount) => sum + amount, 0);
    assert.equal(spent_today, spent, 'a mandate counts what was taken under it');
    assert.ok(spent_today <= max_per_day, 'a mandate keeps its daily limit');
    assert.ok(Math.max(0, ...taken) <= max_per_transfer, 'a mandate keeps its limit per payment');
  }
}

/** Keys stay within their daily caps for asking and approving, and no user has more pending requests than allowed. */
function serverKeysKeepTheirCaps(tables: Tables): void {
  for (const { ask_per_day, asked_today, approve_per_day, approved_today } of tables.app_keys) {
    assert.ok(asked_today <= (ask_per_day ?? 0) && approved_today <= (approve_per_day ?? 0), 'a key keeps its caps');
  }
  for (const request of tables.requests) assert.ok(pendingOf(tables, request) <= MAX_PENDING);
}

/** No reward is spent twice, and the treasury pays only what was granted to that user. */
function rewardsAddUp(
  { rewards, reward_claims, transfers, requests, accounts }: Tables,
  model: Model,
  losses: Losses,
): void {
  const byId = new Map<string, Tables['transfers'][number]>(transfers.map((transfer) => [transfer.id, transfer]));
  const userOf = new Map(requests.map(({ id, user_id }) => [id, user_id]));
  // Of a payment whose other part, or whose app, was lost with the database, a part is known, and not its request.
  const requestOf = (transfer: Tables['transfers'][number]) =>
    transfer.request_id ?? losses.accepted.get(nonceKey(transfer))?.requestId ?? null;
  for (const { id, user_id, amount, claimed } of rewards) {
    const claims = reward_claims.filter(({ reward_id }) => reward_id === id);
    const total = (counts: (transferId: string) => boolean) =>
      claims.filter(({ transfer_id }) => counts(transfer_id)).reduce((sum, claim) => sum + claim.amount, 0);
    assert.equal(
      claimed,
      total((transferId) => byId.get(transferId)!.status !== 'failed'),
      `what is claimed of reward ${id} are its claims`,
    );
    const lasting = total((transferId) => !model.everFailed.has(transferId));
    assert.ok(lasting <= amount, `reward ${id} of ${amount} was spent ${lasting} times one`);
    for (const { transfer_id } of claims) {
      const request = requestOf(byId.get(transfer_id)!)!;
      assert.equal(userOf.get(request) ?? losses.requests.get(request)?.userId, user_id);
    }
  }
  const treasury = accounts.find(({ kind }) => kind === 'treasury')?.address;
  const claimedBy = sums(reward_claims.map(({ transfer_id, amount }) => [transfer_id, amount] as const));
  for (const transfer of transfers) {
    const { id, from_address, amount } = transfer;
    const expected = requestOf(transfer) !== null && from_address === treasury ? amount : 0;
    assert.equal(claimedBy.get(id) ?? 0, expected, `transfer ${id} pays what it claims`);
  }
  for (const { id, amount, claimed } of rewards.filter(isOfLost)) {
    assert.ok(claimed <= amount, `what was spent of lost rewards is used up: ${id}`);
  }
  const operators = rewards.filter((reward) => reward.source === 'operator' && !isOfLost(reward));
  const granted = operators.map(({ id }) => id);
  assert.deepEqual(granted.sort(), [...model.granted.keys()].sort(), 'the operator was told of each grant');
  for (const { id, user_id, amount, key } of rewards) {
    const grant = model.granted.get(id);
    if (grant) assert.deepEqual({ userId: user_id, amount, key }, grant);
    assert.ok(model.guests.find(({ userId }) => userId === user_id)!.full, 'a guest was granted a reward');
  }
}

/**
 * No payment is refunded beyond its amount, except for a refund that was cancelled and that a reorganisation brought
 * back.
 */
function refundsAddUp({ requests, transfers }: Tables, model: Model): void {
  const byId = new Map(requests.map((request) => [request.id, request]));
  const everFailed = new Set(
    transfers.filter(({ id }) => model.everFailed.has(id)).map(({ request_id }) => request_id),
  );
  const lasting = requests.filter(({ id, refund_of }) => refund_of !== null && !everFailed.has(id));
  for (const [id, sum] of sums(lasting.map(({ refund_of, amount }) => [refund_of!, amount] as const))) {
    assert.ok(sum <= byId.get(id)!.amount, `of request ${id}, ${byId.get(id)!.amount} were paid and ${sum} given back`);
  }
}

function rulesKeepTheirCaps({ rewards }: Tables): void {
  const byRule = rewards.filter(({ source }) => source !== 'operator');
  const day = (at: string) => new Date(at).toISOString().slice(0, 10);
  const perApp = sums(
    byRule.map(({ app_id, granted_at, amount }) => [`${app_id} ${day(granted_at)}`, amount] as const),
  );
  for (const [key, sum] of perApp) assert.ok(sum <= Number(CAPS.REWARDS_PER_APP_PER_DAY), `${key}: ${sum}`);
  const shares = byRule.filter(({ source }) => source === 'share');
  const perUser = sums(
    shares.map(({ user_id, granted_at, amount }) => [`${user_id} ${day(granted_at)}`, amount] as const),
  );
  for (const [key, sum] of perUser) assert.ok(sum <= Number(CAPS.REWARDS_PER_USER_PER_DAY), `${key}: ${sum}`);
  const welcomed = byRule.filter(({ source }) => source === 'welcome').map(({ user_id }) => user_id);
  assert.equal(welcomed.length, new Set(welcomed).size, 'each user is welcomed once');
  assert.equal(shares.length, new Set(shares.map(({ key }) => key)).size, 'each payment earns one share');
}

/** A payer who was promised quarters at this moment has them: accepting never lets a balance fall below its hold. */
export function assertCovered({ accounts }: Tables, payers: ReadonlySet<string>): void {
  for (const { address, posted, held } of accounts) {
    if (payers.has(address)) assert.ok(posted >= held, `${address} covers what was decided: ${posted} ≥ ${held}`);
  }
}

/** The state after all faults have stopped and everything was mined and followed. */
export function assertSettled(tables: Tables, chain: SyntheticChain): void {
  const cursor = tables.blocks.reduce((a, b) => (a.number > b.number ? a : b));
  assert.ok(chain.isCanonical(cursor.hash), 'the ledger follows the chain');
  for (const { id, status } of tables.transfers) {
    assert.ok(status === 'completed' || status === 'failed', `transfer ${id} came to an end, but is ${status}`);
  }
  transactionsAreClosed(tables, chain.blockByHash(cursor.hash)!);
  for (const { kind, held } of tables.accounts) if (kind !== 'treasury') assert.equal(held, 0);
}
