import { withThousands } from '../base/quarters.ts';
import type { Rehearsal } from '../features/restore/rehearse.ts';
import type { RestoreReport } from '../features/restore/restore.ts';
import { nameProcesses } from '../membership/take-in.ts';
import { formatFacts } from './format.ts';

type Counts = Omit<RestoreReport, 'resumed' | 'late'>;

const count = (number: number): string => withThousands(BigInt(number));

/** What was found, for programs. */
export function restoreJson({ first, last, quarters, audit, ...counts }: Counts) {
  return { first, last, quarters, ...counts, differences: audit.differences.length };
}

export function restoreText(report: RestoreReport, isSinceGiven: boolean): string {
  const again = `npx quarters restore${isSinceGiven ? ' --since <the same time>' : ''}`;
  const waiting =
    report.waiting > 0
      ? `\n${report.waiting} payments from before are not mined, or have too few blocks above them. When they have, run: ${again}\n`
      : '';
  const claims =
    report.accounts > 0
      ? `\nAn account that was found, and that nobody has named, belongs to nobody until its game asks for its tokens (POST /v1/guests/{id}/tokens).\n`
      : '';
  const isEqual = report.audit.differences.length === 0;
  const end = isEqual ? `\nLedger and chain are equal. ${acceptedText(report.late)}\n` : '';
  return `${factsOf(report)}${waiting}${unpayableText(report)}${claims}${end}`;
}

export function rehearsalText(report: Rehearsal): string {
  const { search, audit } = report.seconds;
  const older = report.isOlder ? '' : '\nThe chain has nothing of this installation that the copy lacks.\n';
  const waiting =
    report.waiting > 0
      ? `\n${report.waiting} payments are on their way, or have too few blocks above them. A restore waits for such payments.\n`
      : '';
  const equal = report.audit.differences.length === 0 ? '\nLedger and chain are equal after that.' : '';
  return `${factsOf(report)}${older}${waiting}${unpayableText(report)}${equal}
It took ${(search + audit).toFixed(1)} s: ${search.toFixed(1)} s to read the chain and find what is missing, ${audit.toFixed(1)} s to compare.
Nothing was sent. The copy is changed: drop it, and start no service on it.
`;
}

function factsOf(report: Counts): string {
  return formatFacts([
    ['Blocks', `${report.first} to ${report.last}`],
    ['Payments that the database lacked', `${count(report.payments)}, of ${withThousands(report.quarters)} quarters`],
    ['Accounts found, with their keys', report.accounts],
    ['Requests found paid', report.requests],
    ['Refunds found', report.refunds],
    ['Of players or apps that nobody has named yet', report.unnamed],
    ['Cancelled on the chain', report.cancellations],
    ['Paid to addresses of others', report.toOthers],
    ['Payments on their way that were made before', report.settled],
  ]);
}

/** The transfers that an operator has to decide about. */
function unpayableText({ unpayable }: Counts): string {
  if (unpayable.length === 0) return '';
  const ids = unpayable.map((id) => `  ${id}\n`).join('');
  return `\nThese transfers wait, because their payers have spent the quarters elsewhere. Cancel each (npx quarters transfers cancel <id>), or wait until its payer has enough:\n${ids}`;
}

/** Whether payments are accepted, once they are resumed. `late`: processes that have not read it yet. */
export function acceptedText(late: RestoreReport['late']): string {
  if (late.length === 0) return 'Payments are accepted.';
  return `Payments are resumed, but these still refuse them, and their logs say why: ${nameProcesses(late)}.`;
}
