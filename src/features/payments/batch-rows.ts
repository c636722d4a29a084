import type { AppId, RequestId, TransferId } from '../../base/ids.ts';
import { derivedId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { PayBatch } from '../../ledger/pay-batches.ts';
import type { PaymentFile, PaymentRow } from './payment-file.ts';

type NamedRow = Pick<PaymentRow, 'identity'> & { readonly line?: number };

/** What a row is called in its batch: the same for ever, however often the file is corrected, sorted and saved. */
export function keyOfRow({ byLine }: Pick<PayBatch, 'byLine'>, { identity, line }: NamedRow): string {
  return byLine ? `${line}` : identity.toString('hex');
}

/** The same for ever: this is what pays a row exactly once. */
export function transferOfRow(batch: Pick<PayBatch, 'id' | 'byLine'>, row: NamedRow): TransferId {
  return derivedId(batch.id, 'transfer', keyOfRow(batch, row)) as TransferId;
}

export function requestOfRow(batch: Pick<PayBatch, 'id' | 'byLine'>, row: NamedRow): RequestId {
  return derivedId(batch.id, 'request', keyOfRow(batch, row)) as RequestId;
}

/** Throws `invalid-input` unless the file can continue the batch. */
export function mustContinue(batch: PayBatch, file: PaymentFile, appId: AppId | null): void {
  const which = `The batch "${batch.name}" of ${batch.createdAt.toISOString().slice(0, 10)}`;
  if (batch.appId !== appId) {
    const payer = batch.appId ? `the app ${batch.appId}` : 'the treasury';
    throw new Problem('invalid-input', `${which} is paid by ${payer}, so --from must say the same.`);
  }
  if (batch.byLine && !batch.fileHash.equals(file.hash)) {
    throw new Problem(
      'invalid-input',
      `${which} was begun by release 1.0.0, which names rows by their lines. Only the very same file continues it. Put the rows that were not paid into a file of their own: its result file names them.`,
    );
  }
}
