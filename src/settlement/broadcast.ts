import type { Address } from '../base/address.ts';
import type { StoredTransaction } from '../chain/outgoing.ts';
import { mayBeTakenElsewhere, type SendReply } from '../chain/send-reply.ts';
import { sendRawTransactions, spreadRawTransactions } from '../chain/transaction.ts';
import type { Service } from '../service/service.ts';
import { maySend } from './readiness.ts';
import type { Faulty } from './replace.ts';
import { leaveEndpoint } from './survey-chain-endpoints.ts';
import { type NonceMarks, readMarks, recordBroadcast, sentLongAgo } from './tables/nonces.ts';
import { isConfirmedAttempt, isStoredAttempt, newestAttempts } from './tables/transactions.ts';

/**
 * Transactions in one JSON-RPC batch. One batch follows the other: a node that gets two at once sees gaps between nonces, and keeps only
 * so many transactions that wait for an earlier one. In large batches, too, a node takes them in another order.
 */
const BATCH = 100;
/** Transactions that are recorded as sent together. */
const RECORDED_AT_ONCE = 400;
/** A node that has not mined a transaction after this time may have forgotten it. */
const RESEND_AFTER_MS = 10_000;

type Deps = Pick<Service, 'db' | 'rpc' | 'settings' | 'log'>;
type Sender = Deps & Pick<Service, 'settlement' | 'readiness'>;

/** What the node did not take. It is sent again later; a `faulty` transaction needs a corrected attempt. */
export type Untaken = { readonly count: number; readonly faulty: readonly Faulty[]; readonly reason: string };

const NOTHING_SENT: Untaken = { count: 0, faulty: [], reason: '' };

/**
 * Sends a relayer's stored transactions to the node, in nonce order, up to the in-flight window. It can be repeated at
 * any time: the bytes are the same, so a lost reply, a crash or a second process cannot cause a second payment. Sends
 * nothing unless the chain is in order.
 *
 * Returns a function for one relayer, which remembers up to where the chain had used its nonces: if a reorganisation frees some, they
 * are sent again at once.
 */
export function openBroadcast(deps: Sender, relayer: Address): () => Promise<Untaken> {
  const { db, settings, readiness } = deps;
  let usedBefore = 0n;
  return async () => {
    if (!maySend(readiness)) return NOTHING_SENT;
    const { consumed, sent } = (await readMarks(db, [relayer])).get(relayer)!;
    const isRewound = consumed < usedBefore;
    const again = isRewound ? sent : await sentLongAgo(db, relayer, consumed, RESEND_AFTER_MS);
    const most = settings.inFlightWindow;
    const untaken = again === null ? NOTHING_SENT : await broadcastFrom(deps, relayer, consumed, most, again);
    if (untaken.count > 0) return untaken;
    usedBefore = consumed;
    return sendNew(deps, relayer, { consumed, sent });
  };
}

/**
 * Sends the newest attempts from `nonce` on again, even what was believed mined, because the node came back with an older state.
 */
export async function broadcastFrom(
  deps: Deps,
  relayer: Address,
  nonce: bigint,
  most = deps.settings.inFlightWindow,
  below = 2n ** 62n,
): Promise<Untaken> {
  return sendAgain(deps, relayer, await readConfirmed(deps.db, relayer, { from: nonce, below, most }));
}

/**
 * The stored transactions of a relayer, to be sent. Nobody may have been told of them: their COMMIT may have lost its wait for a standby.
 * If they were sent and a failover then took them back, the payer's next call would pay a second time.
 */
async function readConfirmed(
  db: Deps['db'],
  relayer: Address,
  range: Parameters<typeof newestAttempts>[2],
): Promise<StoredTransaction[]> {
  const read = await newestAttempts(db, relayer, range);
  const newest = read.at(-1);
  return newest && (await isConfirmedAttempt(db, newest)) ? read : [];
}

/** Sends transactions that a node may have forgotten, or not passed on, to all endpoints. */
export async function sendAgain(
  deps: Deps,
  relayer: Address,
  transactions: readonly StoredTransaction[],
): Promise<Untaken> {
  if (transactions.length > 0)
    spreadRawTransactions(
      deps.rpc,
      transactions.map(({ raw }) => raw),
    );
  return sendTransactions(deps, relayer, transactions);
}

/** Sends what no node has taken yet, as long as there is some and the node takes it. */
async function sendNew(deps: Sender, relayer: Address, { consumed, sent }: NonceMarks): Promise<Untaken> {
  const { db, settings, settlement, readiness } = deps;
  const below = consumed + BigInt(settings.inFlightWindow);
  let from = sent > consumed ? sent : consumed;
  for (;;) {
    const kept = settlement.outgoing.take(relayer, from, below, RECORDED_AT_ONCE);
    // Kept ones were committed here and confirmed. A database that took over from a failed one without a synchronous standby may have lost
    // what was committed last all the same. That must not be sent.
    const isStored = kept.length > 0 && (await isStoredAttempt(db, kept.at(-1)!));
    const next = isStored ? kept : await readConfirmed(db, relayer, { from, below, most: RECORDED_AT_ONCE });
    // These statements may have been the first on a server that has taken over.
    if (next.length === 0 || !maySend(readiness)) return NOTHING_SENT;
    const untaken = await settlement.outgoing.sending(sendTransactions(deps, relayer, next));
    if (untaken.count > 0) return untaken;
    from = next.at(-1)!.nonce + 1n;
  }
}

/** Sends transactions in nonce order, and records those that the node has, up to the first that it did not take. */
async function sendTransactions(
  deps: Deps,
  relayer: Address,
  transactions: readonly StoredTransaction[],
): Promise<Untaken> {
  if (transactions.length === 0) return NOTHING_SENT;
  const asked = deps.rpc.endpoints?.first();
  const replies: SendReply[] = [];
  for (let i = 0; i < transactions.length; i += BATCH) {
    const raws = transactions.slice(i, i + BATCH).map(({ raw }) => raw);
    replies.push(...(await sendRawTransactions(deps.rpc, raws)));
  }
  // A used nonce is a fact of the chain, not of this node. Following the chain shows what used it.
  const isTaken = replies.map(({ kind }) => kind === 'accepted' || kind === 'nonce-too-low');
  const firstUntaken = isTaken.indexOf(false);
  const taken = firstUntaken < 0 ? transactions.length : firstUntaken;
  if (taken > 0) {
    const below = transactions[taken - 1]!.nonce + 1n;
    const sent = { first: transactions[0]!.nonce, below, isPart: taken < transactions.length };
    await recordBroadcast(deps.db, relayer, sent);
  }
  const count = isTaken.filter((is) => !is).length;
  const refusal = replies.find(({ kind }) => kind === 'rejected' || kind === 'unknown');
  if (refusal) deps.log.warn({ relayer, count, reason: refusal.reason }, 'the node did not take transactions');
  // The rejection of a later one may only follow from that of the first.
  const first = replies[firstUntaken];
  if (first && mayBeTakenElsewhere(first)) leaveEndpoint(deps, asked, first.reason);
  const faulty = replies.flatMap(({ fault, leastTip, leastGas, mostFee, mostGas }, i) =>
    fault && fault !== 'no-funds'
      ? [{ transaction: transactions[i]!, fault, leastTip, leastGas, mostFee, mostGas }]
      : [],
  );
  return { count, faulty, reason: refusal?.reason ?? '' };
}
