import { parseAddress } from '../../../base/address.ts';
import { type AppId, userIdFrom } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { asQuarters, type Quarters } from '../../../base/quarters.ts';
import { findIssueRecipient } from '../../../features/payments/issue-quarters.ts';
import { findRecipients, type Recipient } from '../../../features/payments/pay-user.ts';
import { findUserByEmail } from '../../../identity/users.ts';
import { type Account, available, findTreasury, lookUpAccountOfApp } from '../../../ledger/accounts.ts';
import { amountTooLarge } from '../../../service/instruction.ts';
import { appFor, OPERATOR } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { refuseWhileSuspended } from '../../../settlement/may-act.ts';
import { findTransfers, type Transfer } from '../../../settlement/tables/transfers.ts';
import { type BatchRow, findPayBatch, type PayBatch, payBatchesOfFile, readBatchRows } from '../store/pay-batches.ts';
import { batchIdOf, mustContinue, transferOfRow } from './batch-rows.ts';
import { findOverlaps, type Overlap } from './overlaps.ts';
import type { PaymentFile, PaymentRow } from './payment-file.ts';
import { isFaultOfRow } from './row-refusals.ts';

/** A row with what is known of it before anything is paid. */
export type PlannedRow = PaymentRow & {
  /** Null if nobody can be paid. A payout of an app goes to a user. */
  readonly to: Pick<Recipient, 'address'> | Recipient | null;
  /** Why it is not paid. */
  readonly refusal: string | null;
  /** Its recipient got something else in this batch, or is to get it, so it waits until somebody confirms it. */
  readonly isChanged: boolean;
  /** An earlier run has paid it. */
  readonly paid: Transfer | null;
};

export type BatchPlan = {
  readonly name: string;
  readonly file: PaymentFile;
  /** Null if no run has begun yet. */
  readonly batch: PayBatch | null;
  /** Other batches of the last 30 days that paid rows which say the same as those that are left. */
  readonly overlaps: readonly Overlap[];
  readonly app: { readonly id: AppId; readonly name: string } | null;
  readonly payer: Account;
  readonly rows: readonly PlannedRow[];
  /** What is left to pay. */
  readonly left: Sum;
  /** The rows that no run of this batch has known. */
  readonly added: readonly PlannedRow[];
  /** The identities of the others, in hex. */
  readonly known: ReadonlySet<string>;
};

export type Sum = { readonly rows: number; readonly quarters: Quarters };

export function sumOfRows(rows: readonly Pick<PaymentRow, 'amount'>[]): Sum {
  return { rows: rows.length, quarters: asQuarters(rows.reduce((sum, { amount }) => sum + amount, 0n)) };
}

export type BatchTerms = {
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  /** Rows whose recipient got something else in this batch are paid too. */
  readonly payChanged?: boolean | undefined;
};

const AT_ONCE = 1_000;

/**
 * Says what paying a file will do, and changes nothing. `name`: of the batch. Without one the file continues the batch that began with it,
 * or becomes one named after what it says.
 *
 * Throws as {@link mustContinue} does, and `insufficient-quarters` if the payer has too few for all that is left.
 */
export async function planBatch(
  service: Service,
  file: PaymentFile,
  { name, from, payChanged = false }: BatchTerms,
): Promise<BatchPlan> {
  refuseWhileSuspended(service);
  const { db } = service;
  const app = from === undefined ? null : await appFor(service, OPERATOR, from, 'read');
  const payer = app ? await lookUpAccountOfApp(db, app.id) : await findTreasury(db);
  if (!payer) throw new Problem('not-found', `The app "${from}" has no account.`);
  const [same] = name === undefined ? await payBatchesOfFile(db, [file.meaning, file.hash]) : [];
  const chosen = name ?? same?.name ?? file.meaning.toString('hex');
  const batch = await findPayBatch(db, chosen);
  if (batch) mustContinue(batch, file, app?.id ?? null);
  // A restored database may have lost the batch, and knows again what it has paid.
  const named = batch ?? { id: batchIdOf(service, chosen), byLine: false };
  const earlier = batch && !batch.byLine ? await readBatchRows(db, batch) : [];
  const known = new Set(earlier.map(({ identity }) => identity.toString('hex')));
  const isNew = (row: PlannedRow) => !batch?.byLine && !known.has(row.identity.toString('hex'));
  const found: PlannedRow[] = [];
  for (let i = 0; i < file.rows.length; i += AT_ONCE) {
    found.push(...(await planRows(service, file.rows.slice(i, i + AT_ONCE), { named, app, payer })));
  }
  const rows = batch && !payChanged ? await refuseChanged(service, batch, found, earlier, isNew) : found;
  const due = rows.filter(({ paid, refusal }) => !paid && refusal === null);
  const left = sumOfRows(due);
  if (left.quarters > available(payer)) {
    const who = app ? `The app's account` : 'The treasury';
    throw new Problem(
      'insufficient-quarters',
      `${who} has ${available(payer)} free quarters; ${left.quarters} are left to pay. Nothing was paid.`,
    );
  }
  const isBegun = rows.some(({ paid }) => paid);
  const overlaps = await findOverlaps(service, due, { batch, payer: app?.id ?? null, isBegun });
  const added = rows.filter((row) => isNew(row) && !row.isChanged);
  return { name: chosen, file, batch, overlaps, app, payer, rows, left, added, known };
}

/**
 * A row that no run has known, to somebody to whom an earlier one has paid something else, or was to pay it, may be one that was corrected.
 * What another file was to pay, it may be paying at this moment.
 */
async function refuseChanged(
  service: Service,
  batch: PayBatch,
  rows: readonly PlannedRow[],
  known: readonly BatchRow[],
  isNew: (row: PlannedRow) => boolean,
): Promise<PlannedRow[]> {
  const addresses = new Set(rows.flatMap((row) => (row.to && !row.paid && isNew(row) ? [row.to.address] : [])));
  const earlier = known.filter(({ address }) => address && addresses.has(address));
  const transfers = await findTransfers(
    service.db,
    earlier.map((row) => transferOfRow(batch, row)),
  );
  const paidOrHere = new Set([...transfers.map(({ id }) => id), ...rows.map((row) => transferOfRow(batch, row))]);
  const got = Map.groupBy(transfers, ({ to }) => to);
  const due = Map.groupBy(
    earlier.filter((row) => !paidOrHere.has(transferOfRow(batch, row))),
    ({ address }) => address,
  );
  const refusalOf = ({ to, recipient }: PlannedRow): string | null => {
    const [paid, open] = to ? [got.get(to.address), due.get(to.address)] : [];
    if (paid) {
      return `${recipient} got ${amountsOf(paid)} in this batch already, and the row is not the one that was paid. --pay-changed pays it too.`;
    }
    if (!open) return null;
    return `${recipient} is to get ${amountsOf(open)} in this batch from another file, which may pay it at this moment. --pay-changed pays this row too.`;
  };
  return rows.map((row) => {
    const refusal = row.paid || !isNew(row) ? null : refusalOf(row);
    return refusal === null ? row : { ...row, refusal, isChanged: true };
  });
}

const amountsOf = (some: readonly { readonly amount: Quarters }[]): string =>
  some.map(({ amount }) => amount).join(' and ');

async function planRows(
  service: Service,
  rows: readonly PaymentRow[],
  { named, app, payer }: Pick<BatchPlan, 'app' | 'payer'> & { readonly named: Pick<PayBatch, 'id' | 'byLine'> },
): Promise<PlannedRow[]> {
  const transfers = await findTransfers(
    service.db,
    rows.map((row) => transferOfRow(named, row)),
  );
  const paid = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  return Promise.all(
    rows.map(async (row) => {
      const found = await recipientOf(service, row, app ? null : payer).catch((error: unknown) => {
        if (isFaultOfRow(error)) return error;
        throw error;
      });
      const tooMuch =
        app && row.amount > service.settings.maxAmount ? amountTooLarge(service.settings.maxAmount) : null;
      const [to, refusal] = found instanceof Problem ? [null, found.message] : [found, tooMuch?.message ?? null];
      const earlier = paid.get(transferOfRow(named, row));
      return { ...row, to, refusal, isChanged: false, paid: earlier ?? null };
    }),
  );
}

/** `treasury`: null if an app pays, which can pay users only. Throws, or returns, why nobody can be paid. */
async function recipientOf(
  service: Service,
  { recipient }: PaymentRow,
  treasury: Account | null,
): Promise<Pick<Recipient, 'address'> | Recipient | Problem> {
  const user = recipient.includes('@') ? await findUserByEmail(service.db, recipient) : null;
  if (recipient.includes('@') && !user) return new Problem('not-found', `Nobody has signed up with ${recipient}.`);
  const id = user?.id ?? recipient;
  if (treasury) return { address: await findIssueRecipient(service, treasury.address, id) };
  const userId = userIdFrom(id);
  const address = userId ? null : parseAddress(id);
  const named = userId ? { user: userId } : address && { address };
  if (!named) return new Problem('not-found', `An app can pay users only, and "${recipient}" is none.`);
  const [found] = await findRecipients(service, [named]);
  return found!;
}
