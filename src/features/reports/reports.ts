import type { AppId, RequestId, UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { findApps } from '../../identity/apps.ts';
import { recordChange } from '../../operator-log/record.ts';
import { findReport, insertReport, listOpenReports, type Reason, storeResolved } from '../../requests/reports.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { countAttempt } from '../attempts/throttle.ts';

const LIMITS = { ofAddress: 30, ofUser: 5, minutes: 15 };

export type Complaint = {
  /** The request that the player was shown. */
  readonly request: TransferRequest;
  readonly reason: Reason;
  /** Up to 500 characters. */
  readonly text: string;
  /** The address that the report is counted under: see `clientAddress`. */
  readonly address: string;
};

/**
 * A player reports to the operator that something is wrong with a payment they are asked for. The request does not
 * change. Throws `too-many-tries`.
 */
export async function reportProblem(service: Service, { request, reason, text, address }: Complaint): Promise<void> {
  const { id: requestId, appId, userId } = request;
  await countAttempt(service, 'report', [
    { key: `address ${address}`, most: LIMITS.ofAddress, minutes: LIMITS.minutes },
    { key: `user ${userId}`, most: LIMITS.ofUser, minutes: LIMITS.minutes },
  ]);
  // The text is the player's, and stays out of the log.
  if (await insertReport(service.db, { appId, requestId, userId, reason, text })) {
    service.log.warn(
      { appId, paymentId: requestId, reason },
      'a player has reported a problem: see `quarters reports list`',
    );
  }
}

const MOST = 200;

/** The fields in the order in which `--json` prints them. */
export type ReportView = {
  readonly id: string;
  readonly appId: AppId;
  readonly appName: string;
  readonly requestId: RequestId | null;
  readonly userId: UserId;
  readonly reason: Reason;
  readonly text: string;
  readonly createdAt: Date;
};

/** Unresolved reports of players: the oldest, up to 200. */
export async function listReports({ db }: Pick<Service, 'db'>): Promise<ReportView[]> {
  const reports = await listOpenReports(db, MOST);
  const apps = await findApps(
    db,
    reports.map(({ appId }) => appId),
  );
  return reports.map(({ id, appId, ...report }) => ({ id, appId, appName: apps.get(appId)!.name, ...report }));
}

/** Marks a report (a UUID) as resolved. `reason`: the operator's note. Throws `not-found`, also if it is resolved already. */
export async function resolveReportIn(tx: Tx, id: string, reason?: string): Promise<void> {
  if (!(await storeResolved(tx, id))) throw new Problem('not-found', `There is no open report ${id}.`);
  // The note speaks of the player, and goes with their account.
  const about = (await findReport(tx, id))?.userId;
  await recordChange(tx, { action: 'report-resolved', subject: { kind: 'report', id }, reason, about });
}
