import { parseAddress } from '../../base/address.ts';
import { type AppId, derivedId, newTransferId, type TransferId, USER_ID_PATTERN, type UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import { findUserByEmail } from '../../identity/users.ts';
import { type Account, available, findTreasury, lookUpAccountOfApp } from '../../ledger/accounts.ts';
import { findPayBatch, insertPayBatch, type PayBatch, payBatchesOfFile } from '../../ledger/pay-batches.ts';
import { recordChange } from '../../operator-log/record.ts';
import { refuseWhileSuspended } from '../../settlement/accept/admission.ts';
import type { Service } from '../../settlement/service.ts';
import { findTransfers, type Transfer } from '../../settlement/tables/transfers.ts';
import { appFor, OPERATOR } from '../apps/managers.ts';
import { findIssueRecipient } from './issue-quarters.ts';
import { findRecipients, type Recipient } from './pay-user.ts';
import type { PaymentFile, PaymentRow } from './payment-file.ts';

/** A row with what is known of it before anything is paid. */
export type PlannedRow = PaymentRow & {
  /** Null if nobody can be paid. A payout of an app goes to a user. */
  readonly to: Pick<Recipient, 'address'> | Recipient | null;
  /** Why nobody can be paid. */
  readonly refusal: string | null;
  /** An earlier run has paid it. */
  readonly paid: Transfer | null;
};

export type BatchPlan = {
  readonly name: string;
  readonly file: PaymentFile;
  /** Null if no run has begun yet. */
  readonly batch: PayBatch | null;
  /** Other batches that paid the same file. */
  readonly others: readonly PayBatch[];
  readonly app: { readonly id: AppId; readonly name: string } | null;
  readonly payer: Account;
  readonly rows: readonly PlannedRow[];
  /** What is left to pay. */
  readonly left: { readonly rows: number; readonly quarters: Quarters };
};

const AT_ONCE = 1_000;

/**
 * Says what paying a file will do, and changes nothing. `name`: of the batch. Without one the file continues the batch that paid it, or
 * becomes one named after its hash.
 *
 * Throws `not-found` (app), `invalid-input` (the name belongs to another file or payer), `insufficient-quarters`, `payments-suspended`.
 */
export async function planBatch(
  service: Service,
  file: PaymentFile,
  { name, from }: { readonly name?: string | undefined; readonly from?: string | undefined },
): Promise<BatchPlan> {
  refuseWhileSuspended(service);
  const app = from === undefined ? null : await appFor(service, OPERATOR, from, 'read');
  const payer = app ? await lookUpAccountOfApp(service.db, app.id) : await findTreasury(service.db);
  if (!payer) throw new Problem('not-found', `The app "${from}" has no account.`);
  const same = await payBatchesOfFile(service.db, file.hash);
  const chosen = name ?? same[0]?.name ?? file.hash.toString('hex');
  const batch = await findPayBatch(service.db, chosen);
  if (batch) mustBeSame(batch, file, app?.id ?? null);
  const rows: PlannedRow[] = [];
  for (let i = 0; i < file.rows.length; i += AT_ONCE) {
    rows.push(...(await planRows(service, file.rows.slice(i, i + AT_ONCE), { batch, app, payer })));
  }
  const due = rows.filter(({ paid, to }) => !paid && to);
  const quarters = asQuarters(due.reduce((sum, { amount }) => sum + amount, 0n));
  if (quarters > available(payer)) {
    const who = app ? `The app's account` : 'The treasury';
    throw new Problem(
      'insufficient-quarters',
      `${who} has ${available(payer)} free quarters; ${quarters} are left to pay. Nothing was paid.`,
    );
  }
  const others = same.filter(({ id }) => id !== batch?.id);
  return { name: chosen, file, batch, others, app, payer, rows, left: { rows: due.length, quarters } };
}

/** Throws `invalid-input`. */
function mustBeSame(batch: PayBatch, file: PaymentFile, appId: AppId | null): void {
  const { name, createdAt } = batch;
  const since = createdAt.toISOString().slice(0, 10);
  if (!batch.fileHash.equals(file.hash)) {
    throw new Problem(
      'invalid-input',
      `The batch "${name}" of ${since} is another file. Give this one another --batch.`,
    );
  }
  if (batch.appId !== appId) {
    const payer = batch.appId ? `the app ${batch.appId}` : 'the treasury';
    throw new Problem(
      'invalid-input',
      `The batch "${name}" of ${since} is paid by ${payer}, so --from must say the same.`,
    );
  }
}

async function planRows(
  service: Service,
  rows: readonly PaymentRow[],
  { batch, app, payer }: Pick<BatchPlan, 'batch' | 'app' | 'payer'>,
): Promise<PlannedRow[]> {
  const transfers = batch
    ? await findTransfers(
        service.db,
        rows.map(({ line }) => transferOfRow(batch, line)),
      )
    : [];
  const paid = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  return Promise.all(
    rows.map(async (row) => {
      const found = await recipientOf(service, row, app ? null : payer).catch((error: unknown) => {
        if (error instanceof Problem) return error;
        throw error;
      });
      const isRefused = found instanceof Problem;
      const earlier = batch && paid.get(transferOfRow(batch, row.line));
      return { ...row, to: isRefused ? null : found, refusal: isRefused ? found.message : null, paid: earlier ?? null };
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
  const isUser = new RegExp(USER_ID_PATTERN).test(id);
  const address = isUser ? null : parseAddress(id);
  if (!isUser && !address) return new Problem('not-found', `An app can pay users only, and "${recipient}" is none.`);
  const [found] = await findRecipients(service, [address ? { address } : { user: id as UserId }]);
  return found!;
}

/** The same for ever: this is what pays a row exactly once. */
export function transferOfRow({ id }: Pick<PayBatch, 'id'>, line: number): TransferId {
  return derivedId(id, 'transfer', `${line}`) as TransferId;
}

/**
 * Stores the batch before its first row is paid, or finds the one that a concurrent command has stored. Records it in the operator's log.
 * Throws `invalid-input` if that one is of another file or payer.
 */
export async function beginBatch(service: Service, { name, file, batch, app }: BatchPlan): Promise<PayBatch> {
  if (batch) return batch;
  const terms = {
    name,
    fileHash: file.hash,
    appId: app?.id ?? null,
    rowCount: file.rows.length,
    quarters: file.quarters,
  };
  const stored = await service.db.transaction(async (tx) => {
    const begun = await insertPayBatch(tx, { id: newTransferId(), ...terms });
    if (begun) {
      const after = {
        name,
        sha256: file.hash.toString('hex'),
        rows: terms.rowCount,
        quarters: terms.quarters,
        from: app?.id ?? 'treasury',
      };
      await recordChange(tx, { action: 'batch-paid', subject: { kind: 'action', id: begun.id }, after });
    }
    return begun;
  });
  if (stored) {
    service.security.note('quarters-issued', { what: `batch ${stored.id}` });
    return stored;
  }
  const others = await findPayBatch(service.db, name);
  if (!others) throw new Error(`The batch "${name}" is gone`);
  mustBeSame(others, file, terms.appId);
  return others;
}
