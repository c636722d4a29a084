import { newEventId, type RequestId } from '../base/ids.ts';
import { asQuarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';
import { refundedOf } from '../requests/requests.ts';
import { type Actor, type RequestEvent, TRANSITIONS } from '../requests/states.ts';
import { storeTransitions, type TransitionedRequest } from '../requests/transitions.ts';
import { type EventType, insertEvents } from '../webhooks/events.ts';
import { appAddressOf, requestJson } from './request-view.ts';
import { transactionsOfRequests } from './tables/transfers.ts';

type Told = NonNullable<(typeof TRANSITIONS)[RequestEvent]['notified']>;

/**
 * Applies the event to those of the requests whose state allows it, and notifies their apps, in the caller's
 * transaction: an app is told exactly what commits. The transfers of approved requests must be stored before. Returns
 * the requests that changed.
 */
export async function transitionRequests(
  tx: Tx,
  ids: readonly RequestId[],
  event: RequestEvent,
  actors: Actor | readonly Actor[],
): Promise<RequestId[]> {
  const moved = await storeTransitions(tx, ids, event, actors);
  const { notified } = TRANSITIONS[event];
  if (notified) await tell(tx, moved, notified);
  return moved.map(({ id }) => id);
}

/** A request that was never paid cannot have been refunded. */
const NEVER_PAID: readonly Told[] = ['approved', 'declined', 'expired', 'cancelled'];

async function tell(tx: Tx, moved: readonly TransitionedRequest[], told: Told): Promise<void> {
  const ids = moved.map(({ id }) => id);
  const transactions = await transactionsOfRequests(tx, ids);
  const refunds = await refundedOf(tx, NEVER_PAID.includes(told) ? [] : ids);
  await insertEvents(
    tx,
    moved.map((request) => ({
      id: newEventId(),
      appId: request.appId,
      type: typeOf(request, told),
      sequence: request.sequence,
      data: requestJson({
        ...request,
        appAddress: appAddressOf(request),
        txHash: transactions.get(request.id) ?? null,
        completedAt: told === 'completed' ? request.transitionedAt : null,
        refunded: refunds.get(request.id) ?? asQuarters(0),
      }),
    })),
  );
}

function typeOf({ source }: TransitionedRequest, told: Told): EventType {
  // Payouts and refunds are created approved, so only what the chain says about them is news.
  return (source === 'user' ? `request.${told}` : `transfer.${told}`) as EventType;
}
