import { listOpenReports, type Report } from '../../requests/reports.ts';
import type { Service } from '../service.ts';

const MOST = 200;

/** What players have reported and nobody has resolved: the oldest, up to 200. */
export function listReports({ db }: Pick<Service, 'db'>): Promise<Report[]> {
  return listOpenReports(db, MOST);
}
