import { newEventId, type RequestId } from '../base/ids.ts';
import { asQuarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';
import { appAddressOf, refundedOf, requestJson } from '../requests/requests.ts';
import { type Actor, type RequestEvent, TRANSITIONS } from '../requests/states.ts';
import { storeTransitions, type TransitionedRequest } from '../requests/transitions.ts';
import { type EventType, insertEvents } from '../webhooks/events.ts';
import { transactionsOfRequests } from './tables/transfers.ts';

type Notified = NonNullable<(typeof TRANSITIONS)[RequestEvent]['notified']>;

/**
 * Applies the event to those of the requests whose state allows it, and notifies their apps, in the caller's
 * transaction: an app is notified of exactly what commits. The transfers of approved requests must be stored before. Returns
 * the requests that changed.
 */
export async function transitionRequests(
  tx: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
): Promise<RequestId[]> {
  const transitioned = await storeTransitions(tx, ids, event, actors);
  const { notified } = TRANSITIONS[event];
  if (notified) await notifyApps(tx, transitioned, notified);
  return transitioned.map(({ id }) => id);
}

/** A request that was never paid cannot have been refunded. */
const NEVER_PAID: readonly Notified[] = ['approved', 'declined', 'expired', 'cancelled'];

async function notifyApps(tx: Tx, transitioned: readonly TransitionedRequest[], notified: Notified): Promise<void> {
  const ids = transitioned.map(({ id }) => id);
  const transactions = await transactionsOfRequests(tx, ids);
  const refunds = await refundedOf(tx, NEVER_PAID.includes(notified) ? [] : ids);
  await insertEvents(
    tx,
    transitioned.map((request) => ({
      id: newEventId(),
      appId: request.appId,
      type: typeOf(request, notified),
      sequence: request.sequence,
      data: requestJson({
        ...request,
        appAddress: appAddressOf(request),
        txHash: transactions.get(request.id) ?? null,
        completedAt: notified === 'completed' ? request.transitionedAt : null,
        refunded: refunds.get(request.id) ?? asQuarters(0),
      }),
    })),
  );
}

function typeOf({ source }: TransitionedRequest, notified: Notified): EventType {
  // Payouts and refunds are created approved, so only what the chain says about them is news.
  return (source === 'user' ? `request.${notified}` : `transfer.${notified}`) as EventType;
}
