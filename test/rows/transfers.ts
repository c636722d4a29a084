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

/** By default one quarter each, submitted, without a request or a signature. */
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

/** Mined first attempts, each carrying a payment of this transfer. */
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

/** Makes all transactions that much older, and their sending too. */
export function ageTransactions(db: Queries, age: string): Promise<void> {
  return changeTransactions(db, {}, { createdAt: earlier('createdAt', age), sentAt: earlier('sentAt', age) });
}

const changeRelayers = changing<{ readonly leaseExpiresAt: Date }>('relayers');

/** Makes every lease expire, without informing its holder. */
export function endLeases(db: Queries): Promise<void> {
  return changeRelayers(db, {}, { leaseExpiresAt: ago('1 day') });
}

const changeProcesses = changing<{ readonly seenAt: Date }>('processes');

/** Puts the database's clock back by this much since the last look at leases and processes. */
export async function putClockBack(db: Queries, by: string): Promise<void> {
  await changeRelayers(db, {}, { leaseExpiresAt: earlier('leaseExpiresAt', `-${by}`) });
  await changeProcesses(db, {}, { seenAt: earlier('seenAt', `-${by}`) });
}

/** Removes all processes, as if none had been seen lately. */
export const forgetProcesses = (db: Queries) => removing('processes')(db, {});
