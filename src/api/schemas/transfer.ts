import { toChecksum } from '../../base/address.ts';
import { timestamp } from '../../base/dates.ts';
import { EXAMPLES } from '../../base/example-values.ts';
import { TRANSFER_STATUSES, type TransferStatus } from '../../base/transfer-statuses.ts';
import type { Accepted } from '../../service/instruction.ts';
import type { TransferView } from '../../views/transfers/read-transfers.ts';
import { AppAddressOut, RequestIdOut, Timestamp, TransactionHashOut, UserAddressOut } from './outputs.ts';
import { type Static, Type } from './schema.ts';

/** `completed`: when its request was completed. `refundOf`: the payment that it refunds. */
export const TransferOut = Type.Object(
  {
    id: Type.String({ description: "a transfer's id, a UUID", examples: [EXAMPLES.transferId] }),
    requestId: RequestIdOut,
    from: UserAddressOut,
    to: AppAddressOut,
    amount: Type.Integer({ minimum: 1, description: 'quarters', examples: [60] }),
    status: Type.Unsafe<TransferStatus>({ type: 'string', enum: TRANSFER_STATUSES, examples: ['completed'] }),
    txId: TransactionHashOut,
    created: Timestamp,
    completed: Type.Union([Timestamp, Type.Null()], {
      description: 'when its request was completed; null until then',
    }),
    refundOf: Type.Union([RequestIdOut, Type.Null()], {
      description: 'the id of the payment that it refunds; null for others',
    }),
  },
  { title: 'Transfer', description: 'A movement of quarters from one account to another.' },
);

export function transferState(view: TransferView): Static<typeof TransferOut> {
  if (view.requestId === null) throw new Error(`The transfer ${view.id} has no request`);
  return {
    id: view.id,
    requestId: view.requestId,
    from: toChecksum(view.from),
    to: toChecksum(view.to),
    amount: Number(view.amount),
    status: view.status,
    txId: view.txHash,
    created: timestamp(view.createdAt),
    completed: view.completedAt && timestamp(view.completedAt),
    refundOf: view.refundOf,
  };
}

/** `txId`: the hash of the Ethereum transaction, known before it is sent. */
export const TransferOutcome = Type.Object(
  { requestId: RequestIdOut, txId: TransactionHashOut },
  {
    title: 'TransferOutcome',
    description:
      'The transfer is signed and stored, and cannot be revoked. The hash is known before the transaction is sent.',
  },
);

export function transferOutcome({ transferId, requestId, txHash }: Accepted): Static<typeof TransferOutcome> {
  if (requestId === null) throw new Error(`The transfer ${transferId} has no request`);
  return { requestId, txId: txHash };
}
