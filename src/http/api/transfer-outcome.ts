import { type Static, Type } from 'typebox';
import type { Decided } from '../../usecases/system/orders.ts';

/** `txId`: the hash of the Ethereum transaction, known before it is sent. */
export const TransferOutcome = Type.Object({ requestId: Type.String(), txId: Type.String() });

export function transferOutcome({ transferId, requestId, txHash }: Decided): Static<typeof TransferOutcome> {
  if (requestId === null) throw new Error(`The transfer ${transferId} has no request`);
  return { requestId, txId: txHash };
}
