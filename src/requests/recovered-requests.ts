import type { AppId, UserId } from '../base/ids.ts';
import { columnsOf, jsonRows, type Queries, type Tx } from '../db/database.ts';
import { type NewRequest, REQUEST_COLUMNS, type TransferRequest } from './requests.ts';

/** Stores requests that a restored database had lost, and that are paid. `at`: when. */
export async function insertRecoveredRequests(
  { query }: Tx,
  requests: readonly (NewRequest & { readonly at: Date })[],
): Promise<void> {
  await query(
    `INSERT INTO requests (id, app_id, user_id, source, from_address, to_address, amount, description, refund_of, created_at, expires_at,
                           status, transitions, transition_times)
     SELECT id, "appId", "userId", source, "from", "to", amount, description, "refundOf", at, at + make_interval(secs => "ttlSeconds"),
            'completed', ARRAY['create app:' || "appId", 'recover chain'], ARRAY[at, now()]
       FROM jsonb_to_recordset($1)
         AS new (id uuid, "appId" text, "userId" text, source text, "from" text, "to" text, amount bigint, description text,
                 "refundOf" uuid, "ttlSeconds" float8, at timestamptz)`,
    [jsonRows(requests)],
  );
}

/** The payments of these users to these apps that were paid, although a reorganisation may have taken them back. */
export async function madePayments(
  { query }: Queries,
  pairs: readonly { readonly userId: UserId; readonly appId: AppId }[],
): Promise<TransferRequest[]> {
  return query<TransferRequest>(
    `SELECT ${REQUEST_COLUMNS} FROM requests
      WHERE (user_id, app_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND source = 'user' AND status IN ('completed', 'submitted')
      ORDER BY id`,
    columnsOf(pairs, ['userId', 'appId']),
  );
}
