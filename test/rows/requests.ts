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
};

/** By default made by a user, for one quarter each, now, and expired now. */
export const insertRequestRows = inserting<RequestColumns, 'appId' | 'userId' | 'status'>('requests', (now) => ({
  id: newRequestId(),
  source: 'user',
  fromAddress: NOBODY,
  toAddress: NOBODY,
  amount: 1,
  description: '',
  createdAt: now,
  expiresAt: now,
}));

export const changeRequests = changing<RequestColumns>('requests');

/** Makes a request expire; a decided request does not change. */
export async function letRequestExpire({ query }: Queries, id: string): Promise<void> {
  await query(`UPDATE requests SET expires_at = now() - interval '1 second' WHERE id = $1 AND status = 'pending'`, [
    id,
  ]);
}

/** The database has a finer clock than answers show. After this, a time read from an answer equals the row's. */
export async function roundCreationTimes({ query }: Queries): Promise<void> {
  await query(`UPDATE requests SET created_at = date_trunc('milliseconds', created_at)`);
}

/** Records that these users approved these requests. */
export function insertApprovals(
  db: Queries,
  requests: readonly { readonly id: string; readonly userId: string }[],
): Promise<void> {
  return insertRows(
    db,
    'request_moves',
    requests.map(({ id, userId }) => ({
      requestId: id,
      event: 'approve',
      fromStatus: 'pending',
      toStatus: 'approved',
      actor: `user:${userId}`,
    })),
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
