import { type AppId, requestIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import { listRefunds } from '../../requests/request-list.ts';
import { lookUpRequest, type RequestView, type TransferRequest } from '../../requests/requests.ts';
import { type RequestHistory, readHistories, type Transition } from '../../requests/transitions.ts';
import type { Service } from '../../service/service.ts';
import { attemptsFor } from '../../settlement/tables/transaction-attempts.ts';
import { findTransfersOfRequests, type Transfer } from '../../settlement/tables/transfers.ts';
import { type Delivery, deliveriesOfEvent } from '../../webhooks/delivery-list.ts';
import { type RequestEventRow, readEventsOfRequest } from '../../webhooks/request-events.ts';
import { listEndpoints } from '../../webhooks/webhook-endpoints.ts';
import { notHere } from '../requests/not-here.ts';
import { viewRequests } from '../requests/read-requests.ts';
import { openConfirmations, type ShownAttempt } from '../transfers/confirmations.ts';

/** A transfer with every transaction that has carried it, oldest first. */
export type CarriedTransfer = { readonly transfer: Transfer; readonly attempts: readonly ShownAttempt[] };

/** A delivery, and where it goes. `url`: null if the endpoint is removed. */
export type SentDelivery = Delivery & { readonly url: string | null };

export type NotifiedEvent = RequestEventRow & { readonly deliveries: readonly SentDelivery[] };

/** All that is known of an app's request. */
export type InspectedPayment = {
  readonly request: RequestView;
  /** Oldest first. */
  readonly transitions: readonly Transition[];
  readonly transfers: readonly CarriedTransfer[];
  /** What a reward of the player pays of it. */
  readonly fromReward: Quarters;
  /** Oldest first, at most 100. */
  readonly refunds: readonly TransferRequest[];
  readonly events: readonly NotifiedEvent[];
  /** False if there were more, which are not kept any longer. */
  readonly hasAllEvents: boolean;
};

const NO_PAYMENT = 'There is no such payment of this app.';
const MOST_REFUNDS = 100;
/** How far the clocks of the service and the database may differ; the second, if events are missing. */
const SLACKS_MS = [3_000, 60_000];

/** A request of an app. `id` may be unchecked input. Throws `not-found`, also for other apps' requests. */
export async function findPayment(
  { reads }: Pick<Service, 'reads'>,
  appId: AppId,
  id: string,
): Promise<TransferRequest> {
  const requestId = requestIdFrom(id);
  const found = requestId && (await lookUpRequest(reads, requestId));
  if (requestId && !found) throw await notHere(reads, requestId, NO_PAYMENT);
  if (found?.appId !== appId) throw new Problem('not-found', NO_PAYMENT);
  return found;
}

/** A request of an app, with all that is known of it. `id` may be unchecked input. Throws `not-found`, also for other apps' requests. */
export async function inspectPayment(
  service: Pick<Service, 'db' | 'reads' | 'settings'>,
  appId: AppId,
  id: string,
): Promise<InspectedPayment> {
  const { reads } = service;
  const found = await findPayment(service, appId, id);
  const [[request], histories, transfers, refunds, withConfirmations] = await Promise.all([
    viewRequests({ db: reads }, [found]),
    readHistories(reads, [found.id]),
    findTransfersOfRequests(reads, [found.id]),
    listRefunds(reads, found.id, MOST_REFUNDS),
    openConfirmations(service),
  ]);
  const history = histories.get(found.id)!;
  const carried = transfers.map(async (transfer) => ({
    transfer,
    attempts: (await attemptsFor(reads, transfer.id)).map(withConfirmations),
  }));
  const events = await eventsOf(service, appId, history);
  return {
    request: request!,
    transitions: history.transitions,
    transfers: await Promise.all(carried),
    fromReward: rewardPart(found, transfers),
    refunds,
    events,
    hasAllEvents: events.length >= history.sequence,
  };
}

/** The treasury pays what a reward covers. */
function rewardPart({ source, from }: TransferRequest, transfers: readonly Transfer[]): Quarters {
  const others = transfers.filter((transfer) => source === 'user' && transfer.from !== from);
  return asQuarters(others.reduce((sum, { amount }) => sum + amount, 0n));
}

async function eventsOf(
  { reads }: Pick<Service, 'reads'>,
  appId: AppId,
  history: RequestHistory,
): Promise<NotifiedEvent[]> {
  const times = history.transitions.map(({ at }) => at);
  let events: RequestEventRow[] = [];
  for (const slack of SLACKS_MS) {
    if (events.length < history.sequence) events = await readEventsOfRequest(reads, history.id, times, slack);
  }
  const urls = new Map((await listEndpoints(reads, appId)).map(({ id, url }) => [id, url]));
  return Promise.all(
    events.map(async (event) => {
      const deliveries = await deliveriesOfEvent(reads, event.id);
      return { ...event, deliveries: deliveries.map((one) => ({ ...one, url: urls.get(one.endpointId) ?? null })) };
    }),
  );
}
