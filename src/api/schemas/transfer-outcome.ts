import { type Static, Type } from 'typebox';
import type { Decided } from '../../settlement/accept/instruction.ts';
import { RequestIdOut, TransactionHashOut } from './outputs.ts';

/** `txId`: the hash of the Ethereum transaction, known before it is sent. */
export const TransferOutcome = Type.Object(
  { requestId: RequestIdOut, txId: TransactionHashOut },
  {
    title: 'TransferOutcome',
    description:
      'The transfer is signed and stored, and cannot be revoked. The hash is known before the transaction is sent.',
  },
);

export function transferOutcome({ transferId, requestId, txHash }: Decided): Static<typeof TransferOutcome> {
  if (requestId === null) throw new Error(`The transfer ${transferId} has no request`);
  return { requestId, txId: txHash };
}
