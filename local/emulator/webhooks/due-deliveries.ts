import type { AppId, EndpointId, EventId } from '../../../src/base/ids.ts';
import type { Queries } from '../../../src/db/database.ts';

export type DueKey = { readonly event: EventId; readonly endpoint: EndpointId };

const DUE = `deliveries JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id
  WHERE disabled_at IS NULL AND next_attempt_at <= now()`;

/** The endpoints of these apps. */
export async function endpointsOf({ query }: Queries, apps: readonly AppId[] | 'all'): Promise<EndpointId[]> {
  const rows = await query<{ id: EndpointId }>(
    'SELECT id FROM webhook_endpoints WHERE $1::text[] IS NULL OR app_id = ANY($1)',
    [apps === 'all' ? null : apps],
  );
  return rows.map(({ id }) => id);
}

/** What is due to these endpoints and was not taken, in the order of the events. */
export function listDue({ query }: Queries, endpoints: readonly EndpointId[]): Promise<DueKey[]> {
  return query<DueKey>(
    `SELECT event_id AS event, endpoint_id AS endpoint FROM ${DUE} AND endpoint_id = ANY($1::uuid[]) ORDER BY event_id, endpoint_id`,
    [endpoints],
  );
}

export async function isAnyDue({ query }: Queries, except: readonly EndpointId[]): Promise<boolean> {
  const [row] = await query<{ is: boolean }>(
    `SELECT EXISTS (SELECT FROM ${DUE} AND endpoint_id <> ALL($1::uuid[])) AS is`,
    [except],
  );
  return row!.is;
}

/** They are taken in this order: the one that has been due for longest comes first. */
export async function makeDueInOrder({ query }: Queries, order: readonly DueKey[]): Promise<void> {
  await query(
    `UPDATE deliveries SET next_attempt_at = now() - make_interval(secs => (cardinality($1::uuid[]) - place) / 1000.0)
       FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS wanted (event, endpoint, place)
      WHERE event_id = event AND endpoint_id = endpoint`,
    [order.map(({ event }) => event), order.map(({ endpoint }) => endpoint)],
  );
}
