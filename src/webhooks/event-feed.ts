import type { AppId, EventId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import { SETTLED_AFTER, type StoredEvent } from './events.ts';

/** A place in an app's events. */
export type EventPlace = { readonly position: bigint; readonly id: EventId };

export type FedEvent = Pick<StoredEvent, 'id' | 'type' | 'requestId' | 'createdAt'> & EventPlace;

/** An app's events after a place, oldest first, at most `most`. None will appear before the last of them, so a reader misses none. */
export async function readEventFeed(
  { query }: Queries,
  appId: AppId,
  { position, id }: EventPlace,
  most: number,
): Promise<FedEvent[]> {
  return query<FedEvent>(
    `SELECT id, position, type, request_id AS "requestId", created_at AS "createdAt" FROM events
      WHERE ${SETTLED_AFTER} ORDER BY position, id LIMIT $4`,
    [appId, position, id, most],
  );
}
