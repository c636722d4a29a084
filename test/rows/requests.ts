import { randomUUID } from 'node:crypto';
import { newRequestId } from '../../src/base/ids.ts';
import type { RequestStatus } from '../../src/requests/states.ts';
import { changing, inserting, insertRows, type Queries, removing } from './statements.ts';

const NOBODY = `0x${'0'.repeat(40)}`;

type RequestColumns = {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly source: 'user' | 'payout';
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: number;
  readonly description: string;
  readonly status: RequestStatus;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly sequence: number;
  readonly transitions: readonly string[];
  readonly transitionTimes: readonly Date[];
};

type NewRow = Pick<RequestColumns, 'appId' | 'userId' | 'status'> & Partial<RequestColumns>;

/** By default made by a user, for one quarter each, now, and expired now. Only their creation is recorded. */
export async function insertRequestRows(db: Queries, rows: readonly NewRow[]): Promise<void> {
  const now = new Date();
  const requests = rows.map((row) => ({
    id: newRequestId(),
    source: 'user',
    fromAddress: NOBODY,
    toAddress: NOBODY,
    amount: 1,
    description: '',
    createdAt: now,
    expiresAt: now,
    transitions: [`create app:${row.appId}`],
    transitionTimes: [row.createdAt ?? now],
    ...row,
  }));
  await insertRows(db, 'requests', requests);
  const waiting = requests.filter(({ status }) => status === 'pending');
  await insertRows(
    db,
    'pending_requests',
    waiting.map(({ id, userId, appId, expiresAt }) => ({ requestId: id, userId, appId, expiresAt })),
  );
}

export const changeRequests = changing<RequestColumns>('requests');

/** Makes a request expire; a decided request does not change. */
export function letRequestExpire(db: Queries, id: string): Promise<void> {
  return letExpire(db, id, null);
}

/** Makes all pending requests of a user expire. */
export function letRequestsOfUserExpire(db: Queries, userId: string): Promise<void> {
  return letExpire(db, null, userId);
}

async function letExpire({ query }: Queries, id: string | null, userId: string | null): Promise<void> {
  await query(
    `WITH late AS (
       UPDATE requests SET expires_at = now() - interval '1 second'
        WHERE status = 'pending' AND (id = $1 OR user_id = $2) RETURNING id, expires_at)
     UPDATE pending_requests SET expires_at = late.expires_at FROM late WHERE request_id = late.id`,
    [id, userId],
  );
}

/** The database has a finer clock than answers show. After this, a time read from an answer equals the row's. */
export async function roundCreationTimes({ query }: Queries): Promise<void> {
  await query(`UPDATE requests SET created_at = date_trunc('milliseconds', created_at)`);
}

/** Records that these users approved these requests now. */
export async function insertApprovals(
  { query }: Queries,
  requests: readonly { readonly id: string; readonly userId: string }[],
): Promise<void> {
  await query(
    `UPDATE requests SET transitions = transitions || ('approve user:' || user_id), transition_times = transition_times || now()
      WHERE id = ANY($1::uuid[])`,
    [requests.map(({ id }) => id)],
  );
}

type ReportColumns = {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly resolvedAt: Date | null;
};

/** Open reports, by default without a request. */
export const insertReportRows = inserting<ReportColumns, 'appId' | 'userId'>('reports', () => ({
  id: randomUUID(),
  reason: 'other',
  text: '',
  resolvedAt: null,
}));

export const changeReports = changing<ReportColumns>('reports');
export const removeReports = removing<ReportColumns>('reports');
