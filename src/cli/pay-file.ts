import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { csvLine } from '../base/csv.ts';
import { withThousands } from '../base/quarters.ts';
import { type BatchPlan, beginBatch, planBatch } from '../features/payments/pay-batch.ts';
import { type BatchOutcome, payRows } from '../features/payments/pay-rows.ts';
import { MAX_FILE_BYTES, type PaymentFile, readPaymentFile } from '../features/payments/payment-file.ts';
import type { Service } from '../settlement/service.ts';
import { type CliContext, type OutputOptions, print, withService } from './command.ts';
import { type ConfirmOptions, confirm } from './confirm.ts';
import { CommandEnd } from './exit-codes.ts';
import { outcomeJson, outcomeText, planText } from './pay-text.ts';
import { act } from './perform.ts';
import { withProgress } from './progress.ts';

export type PayOptions = OutputOptions &
  ConfirmOptions & {
    readonly file: string;
    readonly from?: string;
    readonly batch?: string;
    readonly result?: string;
  };

/** From the first run on: a day for the approval, and a day to begin. */
const APPROVED_FOR_HOURS = 48;

/** Names so many faults of a file. */
const MOST_FAULTS = 100;

/** `quarters pay`. Throws {@link CommandEnd} for a faulty file, and if not every row was paid. */
export async function payFile(context: CliContext, options: PayOptions): Promise<void> {
  const file = await readFileStrictly(options.file);
  const resultFile = options.result ?? `${options.file}.result.csv`;
  // Two commands may write at once.
  const part = `${resultFile}.${process.pid}.part`;
  // Before anything is paid: afterwards it would be too late to learn that it cannot be written.
  await (await open(part, 'w')).close();
  try {
    const { plan, outcome } = await withService(context, (service) => planAndPay(context, service, file, options));
    await writeFile(part, resultLines(outcome));
    await rename(part, resultFile);
    print(context, options, outcomeJson(plan, outcome, resultFile), outcomeText(plan, outcome, resultFile));
    endWith(outcome, options);
  } finally {
    await rm(part, { force: true });
  }
}

async function planAndPay(
  context: CliContext,
  service: Service,
  file: PaymentFile,
  options: PayOptions,
): Promise<{ readonly plan: BatchPlan; readonly outcome: BatchOutcome }> {
  const terms = { name: options.batch, from: options.from };
  const plan = await withProgress(context, 'Looking up recipients', () => planBatch(service, file, terms));
  const { rows, quarters } = plan.left;
  const count = `${withThousands(BigInt(rows))} ${rows === 1 ? 'row' : 'rows'}`;
  const asked = { what: planText(plan, options.file), question: `Pay ${count}, ${withThousands(quarters)} quarters?` };
  if (rows > 0) await confirm(context, options, asked);
  // A batch that has begun was allowed: it is the same file from the same payer.
  if (rows > 0 && !plan.batch) await allowFile(context, service, options, plan);
  const signal = context.untilStopped?.() ?? new AbortController().signal;
  const outcome = await withProgress(context, 'Paying', async (report) => {
    const batch = await beginBatch(service, plan);
    return payRows(service, plan, batch, { signal, report });
  });
  return { plan, outcome };
}

/** Above FOUR_EYES_ABOVE another operator approves this file first. Then the same command pays it. */
async function allowFile(
  context: CliContext,
  service: Service,
  options: PayOptions,
  { name, file, app }: BatchPlan,
): Promise<void> {
  const params = {
    batch: name,
    from: app?.id ?? 'treasury',
    sha256: file.hash.toString('hex'),
    rows: file.rows.length,
    quarters: Number(file.quarters),
  };
  const key = { text: `${params.from} ${name}`, hours: APPROVED_FOR_HOURS };
  await act(context, { ...options, yes: true }, service, { kind: 'pay-file', key, params, question: '' });
}

async function readFileStrictly(path: string): Promise<PaymentFile> {
  const handle = await open(path);
  const { size } = await handle.stat().finally(() => handle.close());
  if (size > MAX_FILE_BYTES) throw new CommandEnd('wrongUsage', `The file has more than ${MAX_FILE_BYTES} bytes.`);
  const read = readPaymentFile(await readFile(path));
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

function endWith({ outcomes, stopped }: BatchOutcome, { file }: PayOptions): void {
  const again = `Run the same command again to continue: rows that are paid stay paid once. File: ${file}`;
  if (stopped === 'interrupted') throw new CommandEnd('interrupted', `Interrupted. ${again}`);
  if (stopped) throw new CommandEnd('partlyDone', `Stopped: ${stopped.message} ${again}`);
  const refused = outcomes.filter(({ status }) => status === 'refused').length;
  if (refused > 0) {
    throw new CommandEnd(
      'partlyDone',
      `${refused} ${refused === 1 ? 'row was' : 'rows were'} refused. Running it again tries them again.`,
    );
  }
}
