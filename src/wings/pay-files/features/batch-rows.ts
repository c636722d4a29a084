import type { AppId, RequestId, TransferId } from '../../../base/ids.ts';
import { derivedId, isTimed, madeAt, namedId, nameFrom, transferIdOf } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { Vault } from '../../../custody/vault.ts';
import type { PayBatch } from '../store/pay-batches.ts';
import type { PaymentFile, PaymentRow } from './payment-file.ts';

type NamedRow = Pick<PaymentRow, 'identity'> & { readonly line?: number };

/** What a row is called in its batch: the same for ever, however often the file is corrected, sorted and saved. */
export function keyOfRow({ byLine }: Pick<PayBatch, 'byLine'>, { identity, line }: NamedRow): string {
  return byLine ? `${line}` : identity.toString('hex');
}

/** The id of a batch follows from its name, so those of its rows are the same even if the batch is lost. */
export function batchIdOf({ vault }: { readonly vault: Pick<Vault, 'seed'> }, name: string): string {
  return namedId(new Date(0), vault.seed.idMark(['batch', name]));
}

/** The same for ever: this is what pays a row exactly once. */
export function transferOfRow(batch: Pick<PayBatch, 'id' | 'byLine'>, row: NamedRow): TransferId {
  if (isNamedAtRandom(batch)) return derivedId(batch.id, 'transfer', keyOfRow(batch, row)) as TransferId;
  return transferIdOf(requestOfRow(batch, row));
}

export function requestOfRow(batch: Pick<PayBatch, 'id' | 'byLine'>, row: NamedRow): RequestId {
  const key = keyOfRow(batch, row);
  if (isNamedAtRandom(batch)) return derivedId(batch.id, 'request', key) as RequestId;
  return namedId(madeAt(batch.id), nameFrom('request', batch.id, key)) as RequestId;
}

/** Begun before the ids of batches followed from their names. */
const isNamedAtRandom = ({ id }: Pick<PayBatch, 'id'>) => isTimed(id);

/** Throws `invalid-input` unless the file can continue the batch. */
export function mustContinue(batch: PayBatch, file: PaymentFile, appId: AppId | null): void {
  const which = `The batch "${batch.name}" of ${batch.createdAt.toISOString().slice(0, 10)}`;
  if (batch.appId !== appId) {
    const [payer, advice] = batch.appId
      ? [`the app ${batch.appId}`, `add --from ${batch.appId}`]
      : ['the treasury', 'leave out --from'];
    throw new Problem(
      'invalid-input',
      `${which} is paid by ${payer}. To continue it, ${advice}. To pay from elsewhere, give the file a --batch name of its own.`,
    );
  }
  if (batch.byLine && !batch.fileHash.equals(file.hash)) {
    throw new Problem(
      'invalid-input',
      `${which} was begun by release 1.0.0, which names rows by their lines. Only the very same file continues it. Put the rows that were not paid into a file of their own, with a --batch name of its own: the result file of that batch says which they are.`,
    );
  }
}
