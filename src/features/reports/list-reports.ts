import type { AppId, RequestId, UserId } from '../../base/ids.ts';
import { findApps } from '../../identity/apps.ts';
import { listOpenReports, type Reason } from '../../requests/reports.ts';
import type { Service } from '../../settlement/service.ts';

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
