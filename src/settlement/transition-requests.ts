import type { Hash } from '../base/hex.ts';
import { newEventId, type RequestId } from '../base/ids.ts';
import { asQuarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';
import { refundedOf } from '../requests/refunded.ts';
import { type Actor, type RequestEvent, TRANSITIONS } from '../requests/states.ts';
import { storeTransitions, type TransitionedRequest } from '../requests/transitions.ts';
import type { EventType } from '../webhooks/event-types.ts';
import { insertEvents } from '../webhooks/events.ts';
import { transactionsOfRequests } from './tables/transfers.ts';

type Notified = NonNullable<(typeof TRANSITIONS)[RequestEvent]['notified']>;

/** What the caller knows of how a request is paid. */
export type KnownPayment = {
  /** The transaction that pays it; undefined if it has to be read. */
  readonly txHash?: Hash | undefined;
  /** When a node took that transaction; see `SettledTransfer`. */
  readonly sentAt?: string | null;
};

/**
 * Applies the event to those of the requests whose state allows it, and notifies their apps, in the caller's
 * transaction: an app is notified of exactly what commits. `known`: the payments of the requests that the caller has just
 * written. The others are read. Returns the requests that changed.
 */
export async function transitionRequests(
  tx: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
  known: ReadonlyMap<RequestId, KnownPayment> = new Map(),
): Promise<RequestId[]> {
  const sentAt = known.size === 0 ? null : ids.map((id) => known.get(id)?.sentAt ?? null);
  const transitioned = await storeTransitions(tx, ids, event, actors, sentAt);
  const { notified } = TRANSITIONS[event];
  if (notified) await notifyApps(tx, transitioned, notified, known);
  return transitioned.map(({ id }) => id);
}

async function notifyApps(
  tx: Tx,
  transitioned: readonly TransitionedRequest[],
  notified: Notified,
  known: ReadonlyMap<RequestId, KnownPayment>,
): Promise<void> {
  const unknown = transitioned.flatMap(({ id }) => (known.get(id)?.txHash ? [] : [id]));
  const transactions = await transactionsOfRequests(tx, unknown);
  const refunds = await refundedOf(tx, mayBeRefunded(transitioned, notified));
  await insertEvents(
    tx,
    transitioned.map((request) => ({
      id: newEventId(),
      appId: request.appId,
      type: typeOf(request, notified),
      sequence: request.sequence,
      subject: {
        requestId: request.id,
        txHash: known.get(request.id)?.txHash ?? transactions.get(request.id) ?? null,
        refunded: refunds.get(request.id) ?? asQuarters(0),
      },
    })),
  );
}

/** A request that was never paid cannot have been refunded. */
const NEVER_PAID: readonly Notified[] = ['approved', 'declined', 'expired', 'cancelled'];

function mayBeRefunded(transitioned: readonly TransitionedRequest[], notified: Notified): RequestId[] {
  if (NEVER_PAID.includes(notified)) return [];
  // Its app was notified of a request's approval and outcome. Only a reorganisation adds more.
  return transitioned.flatMap(({ id, source, sequence }) => (sequence > (source === 'user' ? 2 : 1) ? [id] : []));
}

function typeOf({ source }: TransitionedRequest, notified: Notified): EventType {
  // Payouts and refunds are created approved, so only what the chain says about them is news.
  return (source === 'user' ? `request.${notified}` : `transfer.${notified}`) as EventType;
}
