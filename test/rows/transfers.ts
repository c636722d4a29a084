import { newTransferId } from '../../src/base/ids.ts';
import { changing, inserting, insertRows, type Queries, randomHash, removing } from './statements.ts';
import { ago, earlier } from './times.ts';

type TransferColumns = {
  readonly id: string;
  readonly requestId: string | null;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: number;
  readonly status: 'approved' | 'submitted' | 'completed' | 'failed';
  readonly authorizationNonce: string;
  readonly txHash: string;
  readonly decidedBlock: number | null;
};

/** One quarter each, on its way, of no request, signed by nobody, unless said. */
export const insertTransferRows = inserting<TransferColumns, 'fromAddress' | 'toAddress'>('transfers', () => ({
  id: newTransferId(),
  requestId: null,
  amount: 1,
  status: 'submitted',
  authorizationNonce: randomHash(),
  authorizationSignature: new Uint8Array(65),
  txHash: randomHash(),
  decidedBlock: null,
}));

export const changeTransfers = changing<TransferColumns>('transfers');

type TransactionColumns = { readonly relayer: string; readonly nonce: number; readonly createdAt: Date };

const insertMined = inserting<TransactionColumns, keyof TransactionColumns>('transactions', () => ({
  hash: randomHash(),
  attempt: 0,
  raw: new Uint8Array(1),
  status: 'mined',
  minedBlock: 1,
}));

/** Mined first attempts, each with a payment of this transfer for its cargo. */
export async function insertMinedAttempts(
  db: Queries,
  transferId: string,
  transactions: readonly TransactionColumns[],
): Promise<void> {
  await insertMined(db, transactions);
  await insertRows(
    db,
    'cargo',
    transactions.map(({ relayer, nonce }) => ({ relayer, nonce, transferId })),
  );
}

const changeTransactions = changing<{ readonly createdAt: Date; readonly sentAt: Date }>('transactions');

/** As if all transactions had been made, and sent, that much earlier. */
export function ageTransactions(db: Queries, age: string): Promise<void> {
  return changeTransactions(db, {}, { createdAt: earlier('createdAt', age), sentAt: earlier('sentAt', age) });
}

const changeRelayers = changing<{ readonly leaseExpiresAt: Date }>('relayers');

/** Ends the time of every lease; its holder is not told. */
export function endLeases(db: Queries): Promise<void> {
  return changeRelayers(db, {}, { leaseExpiresAt: ago('1 day') });
}

const changeProcesses = changing<{ readonly seenAt: Date }>('processes');

/** As if the database's clock had been put back so much after the last look at leases and processes. */
export async function putClockBack(db: Queries, by: string): Promise<void> {
  await changeRelayers(db, {}, { leaseExpiresAt: earlier('leaseExpiresAt', `-${by}`) });
  await changeProcesses(db, {}, { seenAt: earlier('seenAt', `-${by}`) });
}

/** As if no process had been seen lately. */
export const forgetProcesses = (db: Queries) => removing('processes')(db, {});
