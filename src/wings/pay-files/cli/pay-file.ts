import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { csvLine } from '../../../base/csv.ts';
import { withThousands } from '../../../base/quarters.ts';
import { untilArrived } from '../../../cli/arrival.ts';
import { type CliContext, type OutputOptions, print, withService } from '../../../cli/command.ts';
import { type ConfirmOptions, confirm } from '../../../cli/confirm.ts';
import { CommandEnd } from '../../../cli/exit-codes.ts';
import { act } from '../../../cli/perform.ts';
import { withProgress } from '../../../cli/progress.ts';
import { transfersArrived } from '../../../features/payments/wait-for-arrival.ts';
import type { Service } from '../../../service/service.ts';
import { beginBatch } from '../features/begin-batch.ts';
import { type BatchPlan, planBatch, sumOfRows } from '../features/pay-batch.ts';
import { type BatchOutcome, payRows, settledOutcome } from '../features/pay-rows.ts';
import type { Role } from '../features/payment-columns.ts';
import { MAX_FILE_BYTES, type PaymentFile, readPaymentFile } from '../features/payment-file.ts';
import { refusedText, stoppedText, unnamedText } from './pay-advice.ts';
import { overlapText, planJson, planText, printedOutcome } from './pay-text.ts';

export type PayOptions = OutputOptions &
  ConfirmOptions & {
    readonly file: string;
    readonly from?: string;
    readonly batch?: string;
    readonly result?: string;
    readonly columns?: NamedColumns;
    readonly payChanged?: true;
    readonly dryRun?: true;
  };

/** The names of a file's columns, by what they are. */
export type NamedColumns = Readonly<Partial<Record<Role, string>>>;

/** From the first run on: a day for the approval, and a day to begin. */
const APPROVED_FOR_HOURS = 48;

/** A longer file is shown in part. */
const ROWS_OF_DRY_RUN = 200;

/** Names so many faults of a file. */
const MOST_FAULTS = 100;

/** `quarters pay`. Throws {@link CommandEnd} for a faulty file, and if not every row was paid. */
export async function payFile(context: CliContext, options: PayOptions): Promise<void> {
  // One byte more than allowed shows that there are too many, even where the size is not known before.
  const bytes = await buffer(createReadStream(options.file, { end: MAX_FILE_BYTES }));
  await withService(context, async (service) => {
    const file = readStrictly(bytes, service.chain.chainId, options.columns);
    await (options.dryRun ? showPlan(context, service, options, file) : payRead(context, service, options, file));
  });
}

async function payRead(context: CliContext, service: Service, options: PayOptions, file: PaymentFile): Promise<void> {
  const resultFile = options.result ?? `${options.file}.result.csv`;
  // Two commands may write at once.
  const part = `${resultFile}.${process.pid}.part`;
  // Before anything is paid: afterwards it would be too late to learn that it cannot be written.
  await writeFile(part, '').catch((error: Error) => {
    throw new CommandEnd(
      'failed',
      `The result file cannot be written: ${error.message}. Nothing was paid. Say where it may be with --result.`,
    );
  });
  try {
    const plan = await planned(context, service, file, options);
    const { outcome, signal } = await payPlanned(context, service, plan, options);
    const isWritten = await writeResult(context, outcome, part, resultFile);
    const written = isWritten ? resultFile : null;
    print(context, options, printedOutcome(plan, outcome, written));
    if (outcome.stopped === null) await untilPaid(context, service, outcome, signal);
    endWith(plan, outcome, options);
  } finally {
    // Rows may be paid, which a file that is left behind must not hide.
    await rm(part, { force: true }).catch(() => {});
  }
}

/** What is said to be paid can be spent when the command ends, or the command says that it cannot yet. */
async function untilPaid(context: CliContext, service: Service, { outcomes }: BatchOutcome, signal?: AbortSignal) {
  const now = outcomes.flatMap(({ isPaidNow, transfer }) => (isPaidNow && transfer ? [transfer.transferId] : []));
  const hasArrived = transfersArrived(service, now);
  const see = `transfers show ${now.at(-1)}`;
  await untilArrived(context, service, async () => signal?.aborted === true || hasArrived(), see);
}

/** Whatever happens to the file now, the rows are paid, so the command goes on and prints what became of them. */
async function writeResult({ err }: CliContext, outcome: BatchOutcome, part: string, path: string): Promise<boolean> {
  try {
    await writeFile(part, resultLines(outcome));
    await rename(part, path);
    return true;
  } catch (error) {
    err.write(`The result file could not be written: ${(error as Error).message}. The same command writes it again.\n`);
    return false;
  }
}

/** `--dry-run`: nothing is paid, and no name is used. */
async function showPlan(context: CliContext, service: Service, options: PayOptions, file: PaymentFile): Promise<void> {
  const plan = await planned(context, service, file, options);
  print(context, options, { json: planJson(plan), text: planText(plan, options.file, { rowsShown: ROWS_OF_DRY_RUN }) });
}

function planned(
  context: CliContext,
  service: Service,
  file: PaymentFile,
  { batch: name, from, payChanged }: PayOptions,
): Promise<BatchPlan> {
  const work = () => planBatch(service, file, { name, from, payChanged });
  return withProgress(context, 'Looking up recipients', work);
}

async function payPlanned(
  context: CliContext,
  service: Service,
  plan: BatchPlan,
  options: PayOptions,
): Promise<{ readonly outcome: BatchOutcome; readonly signal?: AbortSignal }> {
  const { rows, quarters } = plan.left;
  // Nothing is begun for it, so its name stays free.
  if (rows === 0) return { outcome: settledOutcome(plan) };
  const count = `${withThousands(BigInt(rows))} ${rows === 1 ? 'row' : 'rows'}`;
  const isAsked = !options.yes && context.in?.isTTY;
  if (!isAsked) refuseUnnamed(context, plan, options);
  const question = `Pay ${count}, ${withThousands(quarters)} quarters?`;
  await confirm(context, options, { what: planText(plan, options.file), question });
  // What a batch has begun with was allowed.
  if (plan.added.length > 0) await allowRows(context, service, options, plan);
  const signal = context.untilStopped?.() ?? new AbortController().signal;
  const outcome = await withProgress(context, 'Paying', async (report) => {
    const batch = await beginBatch(service, plan);
    return payRows(service, plan, batch, { signal, report });
  });
  return { outcome, signal };
}

/** Nobody reads the plan. Only a name of its own says that a file is another payment, and not the same one once more. */
function refuseUnnamed({ err }: CliContext, plan: BatchPlan, { batch, yes, file }: PayOptions): void {
  if (plan.overlaps.length === 0) return;
  const isNamed = batch !== undefined || plan.batch !== null;
  const warnings = plan.overlaps.map((overlap) => `${overlapText(overlap, plan)}\n`).join('');
  if (isNamed) return void (yes && err.write(warnings));
  const advice = unnamedText(plan, { isSure: yes === true });
  if (yes) throw new CommandEnd('failed', `${warnings}${advice}`);
  err.write(planText(plan, file));
  throw new CommandEnd('wrongUsage', advice);
}

/** Above FOUR_EYES_ABOVE another operator approves these rows of this file first. Then the same command pays it. */
async function allowRows(
  context: CliContext,
  service: Service,
  options: PayOptions,
  { name, file, app, added }: BatchPlan,
): Promise<void> {
  const { rows, quarters } = sumOfRows(added);
  const sha256 = file.hash.toString('hex');
  const params = { batch: name, from: app?.id ?? 'treasury', sha256, rows, quarters: Number(quarters) };
  // Other rows, of a corrected file say, are approved anew.
  const which = hash(
    'sha256',
    added
      .map(({ identity }) => identity.toString('hex'))
      .sort()
      .join(),
  );
  const key = { text: `${params.from} ${name} ${which}`, hours: APPROVED_FOR_HOURS };
  await act(context, { ...options, yes: true }, service, { kind: 'pay-file', key, params, question: '' }).catch(
    (error: unknown) => {
      if (!(error instanceof CommandEnd)) throw error;
      throw new CommandEnd(error.reason, `${error.message} Then run the same command again: it pays the file.`);
    },
  );
}

function readStrictly(bytes: Uint8Array, chainId: number, columns?: NamedColumns): PaymentFile {
  const read = readPaymentFile(bytes, chainId, columns);
  if ('file' in read) return read.file;
  const { faults } = read;
  const lines = faults.slice(0, MOST_FAULTS).map(({ line, fault }) => `Line ${line}: ${fault}.`);
  if (faults.length > MOST_FAULTS) lines.push(`And ${faults.length - MOST_FAULTS} more.`);
  throw new CommandEnd('wrongUsage', `${lines.join('\n')}\nNothing was paid.`);
}

function resultLines({ outcomes }: BatchOutcome): string {
  const lines = outcomes.map(({ row, status, transfer, reason }) =>
    csvLine([
      row.line,
      row.recipient,
      row.amount,
      status,
      transfer?.transferId ?? null,
      transfer?.txHash ?? null,
      reason,
    ]),
  );
  return [csvLine(['line', 'recipient', 'quarters', 'status', 'transfer', 'transaction', 'reason']), ...lines].join('');
}

function endWith(plan: BatchPlan, outcome: BatchOutcome, { file, batch }: PayOptions): void {
  const { outcomes, stopped } = outcome;
  if (stopped !== null) {
    throw new CommandEnd(stopped === 'interrupted' ? 'interrupted' : 'partlyDone', stoppedText(outcome, file));
  }
  const refused = outcomes.filter(({ status }) => status === 'refused').map(({ row }) => row);
  if (refused.length === 0) return;
  const end = refused.length === outcomes.length ? 'failed' : 'partlyDone';
  throw new CommandEnd(end, refusedText(plan, refused, batch));
}
