import { lowestIdAt, type RequestId } from '../base/ids.ts';
import type { Queries } from '../db/database.ts';
import type { StoredEvent } from './events.ts';

export type RequestEventRow = Pick<StoredEvent, 'id' | 'type' | 'sequence' | 'createdAt'>;

/**
 * The events about a request that were written within `slackMs` of these times, oldest first.
 *
 * No index finds events by their request, because each payment would have to write it. Ids of events begin with their time, so this
 * reads the events of all apps in these moments, and no others.
 */
export async function readEventsOfRequest(
  { query }: Queries,
  requestId: RequestId,
  times: readonly Date[],
  slackMs: number,
): Promise<RequestEventRow[]> {
  const ranges = rangesAround(times, slackMs);
  return query<RequestEventRow>(
    `SELECT found.* FROM unnest($2::uuid[], $3::uuid[]) AS range (lowest, bound), LATERAL (
       SELECT id, type, sequence, created_at AS "createdAt" FROM events
        WHERE events.id >= lowest AND events.id < bound AND request_id = $1) AS found
      ORDER BY sequence`,
    [requestId, ranges.map(({ from }) => lowestIdAt(from)), ranges.map(({ until }) => lowestIdAt(until))],
  );
}

/** The times with their surroundings, where those overlap as one. */
function rangesAround(times: readonly Date[], slackMs: number): { from: Date; until: Date }[] {
  const ranges: { from: Date; until: Date }[] = [];
  for (const at of times.map((time) => time.getTime()).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    const until = new Date(at + slackMs);
    if (last && at - slackMs <= last.until.getTime()) last.until = until;
    else ranges.push({ from: new Date(at - slackMs), until });
  }
  return ranges;
}
