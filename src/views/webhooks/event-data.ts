import type { Queries } from '../../db/database.ts';
import { appAddressOf, findRequests, requestJson, type TransferRequest } from '../../requests/requests.ts';
import { type RequestStatus, TRANSITIONS } from '../../requests/states.ts';
import type { AppEvent, StoredEvent } from '../../webhooks/events.ts';

/**
 * The events with their data, in the given order. A hundred take one statement. What is shown of a request never changes, or is stored with
 * the event: so the data stays the same however often and however late it is sent.
 */
export async function withData(db: Queries, events: readonly StoredEvent[]): Promise<AppEvent[]> {
  const ids = [...new Set(events.flatMap(({ requestId }) => requestId ?? []))];
  const requests = ids.length > 0 ? await findRequests(db, ids) : [];
  const byId = new Map(requests.map((request) => [request.id, request]));
  return events.map(({ requestId, txHash, refunded, data, ...event }) => {
    if (data !== null) return { ...event, data };
    const request = byId.get(requestId!);
    if (!request) throw new Error(`The request ${requestId} is not stored`);
    return { ...event, data: dataOf({ ...event, txHash, refunded }, request) };
  });
}

type About = Pick<StoredEvent, 'type' | 'createdAt' | 'txHash' | 'refunded'>;

function dataOf({ type, createdAt, txHash, refunded }: About, request: TransferRequest): object {
  const status = statusAfter(type.slice(type.indexOf('.') + 1));
  const completedAt = status === 'completed' ? createdAt : null;
  return requestJson({ ...request, status, appAddress: appAddressOf(request), txHash, completedAt, refunded });
}

/** The status of a request after the transition that apps are `notified` of. */
export function statusAfter(notified: string): RequestStatus {
  return Object.values(TRANSITIONS).find((transition) => transition.notified === notified)!.to;
}
