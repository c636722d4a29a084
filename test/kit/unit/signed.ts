import { parseTransaction, toFunctionSelector, toHex } from 'viem';
import type { TransferId } from '../../../src/base/ids.ts';
import type { Queries } from '../../../src/db/database.ts';

/** A stored transaction, the transfers that it carries, and whether a node has taken it. */
export type Signed = { readonly payload: readonly TransferId[]; readonly raw: Buffer; readonly isSent: boolean };

const CANCEL = toFunctionSelector('cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)');

/** The transactions, by their first attempts. */
async function readSigned({ query }: Queries): Promise<Signed[]> {
  return query<Signed>(
    `SELECT payload, raw, EXISTS (
              SELECT FROM broadcasts WHERE broadcasts.relayer = transactions.relayer AND below > nonce) AS "isSent"
       FROM transactions WHERE attempt = 0`,
  );
}

/** The transactions that no node has taken yet, as far as is recorded. */
export async function unsent(db: Queries): Promise<Signed[]> {
  return (await readSigned(db)).filter(({ isSent }) => !isSent);
}

/** The transactions that cancel a transfer. */
export async function cancellations(db: Queries): Promise<Signed[]> {
  return (await readSigned(db)).filter(({ raw }) => parseTransaction(toHex(raw)).data?.startsWith(CANCEL));
}
