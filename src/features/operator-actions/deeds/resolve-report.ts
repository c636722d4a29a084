import { en } from '../../../../words/en.ts';
import { Problem } from '../../../base/problems.ts';
import { findReport } from '../../../requests/reports.ts';
import { resolveReportIn } from '../../reports/reports.ts';
import type { ActionDeed } from '../action-deed.ts';

type Params = { readonly report: string };

/** Marks a player's report as resolved. */
export const RESOLVE_REPORT: ActionDeed<Params> = {
  async preview({ db }, { report: id }) {
    const report = await findReport(db, id);
    if (!report || report.resolvedAt) throw noSuchReport(id);
    return {
      sentence: 'Mark this report as resolved.',
      facts: [
        ['Report', id],
        ['Reason', en.report.reasons[report.reason]],
        ['App', report.appId],
        ['State', 'open → resolved'],
      ],
    };
  },
  async apply(_service, tx, { report }, { reason }) {
    await resolveReportIn(tx, report, reason);
    return null;
  },
  note: ({ security }, { report }) => security.note('report-resolved', { what: report }),
};

function noSuchReport(id: string): Problem {
  return new Problem('not-found', `There is no open report ${id}.`);
}
