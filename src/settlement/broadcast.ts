import type { Address } from '../base/address.ts';
import { type SendReply, sendRawTransactions } from '../chain/transaction.ts';
import type { Faulty } from './replace.ts';
import type { Service } from './service.ts';
import { markSent, type OpenTransaction, transactionsFrom, transactionsToSend } from './tables/transactions.ts';
import { markSubmitted } from './tables/transfer-transitions.ts';
import { transitionRequests } from './transition-requests.ts';

/** Transactions in one JSON-RPC batch. */
const BATCH = 100;
/** A node that has not mined a transaction after this time may have forgotten it. */
const RESEND_AFTER_MS = 10_000;

type Deps = Pick<Service, 'db' | 'rpc' | 'settings' | 'log'>;

const NOTHING_SENT: Untaken = { count: 0, faulty: [] };

/** What the node did not take. It is sent again later; a `faulty` transaction needs a corrected attempt. */
export type Untaken = { readonly count: number; readonly faulty: readonly Faulty[] };

/**
 * Sends a relayer's stored transactions to the node, in nonce order, up to the in-flight window. It can be repeated at
 * any time: the bytes are the same, so a lost reply, a crash or a second process cannot cause a second payment. Sends
 * nothing unless the chain is in order.
 */
export async function broadcast(deps: Deps & Pick<Service, 'readiness'>, relayer: Address): Promise<Untaken> {
  const { db, settings, readiness } = deps;
  if (readiness.chain !== 'ok') return NOTHING_SENT;
  return send(deps, relayer, await transactionsToSend(db, relayer, settings.inFlightWindow, RESEND_AFTER_MS));
}

/**
 * Sends everything from `nonce` on again, even what was believed mined, because the node came back with an older state.
 */
export async function broadcastFrom(
  deps: Deps,
  relayer: Address,
  nonce: bigint,
  most = deps.settings.inFlightWindow,
): Promise<Untaken> {
  return send(deps, relayer, await transactionsFrom(deps.db, relayer, nonce, most));
}

async function send(deps: Deps, relayer: Address, transactions: readonly OpenTransaction[]): Promise<Untaken> {
  let count = 0;
  const faulty: Faulty[] = [];
  for (let i = 0; i < transactions.length; i += BATCH) {
    const batch = transactions.slice(i, i + BATCH);
    const replies = await sendRawTransactions(
      deps.rpc,
      batch.map(({ raw }) => raw),
    );
    // A used nonce is a fact of the chain, not of this node. Following the chain shows what used it.
    const taken = batch.filter((_, n) => replies[n]?.kind === 'accepted' || replies[n]?.kind === 'nonce-too-low');
    await recordSent(deps, taken);
    count += batch.length - taken.length;
    for (const [n, transaction] of batch.entries()) {
      const fault = replies[n]?.fault;
      if (fault) faulty.push({ transaction, fault });
    }
    const refusal = replies.find((reply): reply is SendReply => reply.kind === 'rejected' || reply.kind === 'unknown');
    if (refusal) {
      deps.log.warn(
        { relayer, count: batch.length - taken.length, reason: refusal.reason },
        'the node did not take transactions',
      );
    }
  }
  return { count, faulty };
}

async function recordSent({ db }: Deps, transactions: readonly OpenTransaction[]): Promise<void> {
  if (transactions.length === 0) return;
  await db.transaction(async (tx) => {
    const carried = await markSent(
      tx,
      transactions.map(({ hash }) => hash),
    );
    const submitted = await markSubmitted(tx, carried);
    await transitionRequests(
      tx,
      [...new Set(submitted.flatMap(({ requestId }) => requestId ?? []))],
      'submit',
      'chain',
    );
  });
}
