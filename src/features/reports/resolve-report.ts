import { Problem } from '../../base/problems.ts';
import { resolveReport as resolve } from '../../requests/reports.ts';
import type { Service } from '../../settlement/service.ts';

/** Marks a report (a UUID) as resolved. Throws `not-found`. */
export async function resolveReport({ db, security }: Pick<Service, 'db' | 'security'>, id: string): Promise<void> {
  if (!(await resolve(db, id))) throw new Problem('not-found', `There is no open report ${id}.`);
  security.note('report-resolved', { what: id });
}
