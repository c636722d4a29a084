import { Problem } from '../../../base/problems.ts';
import { explainError } from '../../../cli/explain-error.ts';
import { shellWord } from '../base/shell-word.ts';
import type { BatchPlan, PlannedRow } from '../features/pay-batch.ts';
import type { BatchOutcome } from '../features/pay-rows.ts';
import { isPassing } from '../features/row-refusals.ts';

// What `quarters pay` says at its end. Whoever types what is printed gets what it promises: test/cli/pay-ends.test.ts does so.

/** Other batches have paid some of these rows, and nobody can be asked. `isSure`: --yes was given. */
export function unnamedText(
  { overlaps }: Pick<BatchPlan, 'overlaps'>,
  { isSure }: { readonly isSure: boolean },
): string {
  const add = isSure ? 'add' : 'add --yes and';
  const whole = overlaps.find(({ isWhole }) => isWhole);
  const missing = whole
    ? `To pay only what is missing, ${add} --batch ${shellWord(whole.name)}.`
    : `To pay only what is missing, take the rows that were paid out of the file${isSure ? '' : ', and add --yes'}: no single batch of this payer has all of them.`;
  return `Nothing was paid. ${missing} If all of these rows are to be paid once more, ${add} a --batch name of its own.`;
}

/** The run ended before the end of the file. */
export function stoppedText({ outcomes, stopped }: BatchOutcome, file: string): string {
  const again = `run the same command again: rows that are paid stay paid once. File: ${file}`;
  if (stopped === 'interrupted') return `Interrupted. To continue, ${again}`;
  const unknown = outcomes.filter(({ status }) => status === 'unknown').length;
  const left = unknown > 0 ? `For ${rowsText(unknown)} it is not known yet whether they are paid.` : '';
  const unpaid = outcomes.some(({ status }) => status === 'unpaid') ? 'The rows that are left are not paid yet.' : '';
  const next = isPassing(stopped) ? `To continue, ${again}` : `When that is settled, ${again}`;
  return [`Stopped: ${whyStopped(stopped!)}`, left, unpaid, next].filter((text) => text !== '').join(' ');
}

function whyStopped(stopped: Error): string {
  const isUnknown = stopped instanceof Problem && stopped.code === 'outcome-unknown';
  return isUnknown ? 'The database went away while rows were paid.' : explainError(stopped).text;
}

/** Rows were refused. `batch`: the name that the command was given. */
export function refusedText(plan: BatchPlan, refused: readonly PlannedRow[], batch: string | undefined): string {
  const isBegun = plan.batch !== null || plan.left.rows > 0;
  if (!isBegun) return 'No row can be paid, so nothing was done. Correct the file, and run the same command again.';
  // Without its name a corrected file is another batch.
  const same = batch === undefined ? `the same command with --batch ${shellWord(plan.name)}` : 'the same command again';
  const changed = refused.filter(({ isChanged }) => isChanged).length;
  const advice =
    changed === refused.length
      ? `Take them out of the file, or add --pay-changed to pay them too, and run ${same}`
      : `Correct them in the file and run ${same}`;
  const both =
    changed > 0 && changed < refused.length ? ' Where the reason says so, --pay-changed pays a row too.' : '';
  const were = refused.length === 1 ? 'was' : 'were';
  return `${rowsText(refused.length)} ${were} refused. ${advice}: rows that are paid stay paid once.${both}`;
}

const rowsText = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`;
