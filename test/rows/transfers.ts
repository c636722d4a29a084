import { type Hex, hexToBytes } from '../../src/base/hex.ts';
import { newTransferId, type TransferId } from '../../src/base/ids.ts';
import { formerNonce } from '../../src/chain/token.ts';
import { changePostings } from './ledger.ts';
import { changing, inserting, insertRows, type Queries, randomHash, removing } from './statements.ts';
import { ago, Expression, earlier } from './times.ts';

const RELAYER = `0x${'0'.repeat(39)}1`;

type TransferColumns = {
  readonly id: string;
  readonly requestId: string | null;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: number;
  readonly status: 'approved' | 'submitted' | 'completed' | 'failed';
  readonly txHash: string;
  readonly relayer: string;
  readonly relayerNonce: number;
  readonly isSplit: boolean;
  readonly decidedBlock: number | null;
  readonly createdAt: Expression;
};

/** `acceptedAt`: since when it is listed as open. */
type NewTransfer = Pick<TransferColumns, 'fromAddress' | 'toAddress'> &
  Partial<TransferColumns> & { readonly acceptedAt?: Date };

/** By default one quarter each, submitted, without a request, carried by the same transaction of a relayer that nobody has. */
export async function insertTransferRows(db: Queries, rows: readonly NewTransfer[]): Promise<void> {
  const transfers = rows.map(({ acceptedAt, ...row }) => ({
    id: newTransferId() as string,
    requestId: null,
    amount: 1,
    status: 'submitted',
    relayer: RELAYER,
    relayerNonce: 0,
    isSplit: false,
    decidedBlock: null,
    ...row,
    txHash: hexToBytes((row.txHash ?? randomHash()) as Hex),
  }));
  await insertRows(db, 'transfers', transfers);
  const open = transfers.flatMap((transfer, i) =>
    transfer.decidedBlock === null ? [{ ...transfer, acceptedAt: rows[i]!.acceptedAt ?? new Date() }] : [],
  );
  await insertRows(
    db,
    'open_transfers',
    open.map(({ id, fromAddress, toAddress, acceptedAt }) => {
      const nonce = hexToBytes(formerNonce(id as TransferId));
      return { authorizationNonce: nonce, transferId: id, fromAddress, toAddress, acceptedAt };
    }),
  );
}

type OpenColumns = Pick<TransferColumns, 'fromAddress' | 'toAddress'>;

/** Lists transfers as open that do not exist. */
export const insertOpenRows = inserting<OpenColumns, keyof OpenColumns>('open_transfers', () => ({
  authorizationNonce: hexToBytes(randomHash() as Hex),
  transferId: newTransferId(),
}));

/** Names a transfer as open, although it may be settled. */
export async function reopenTransferRow({ query }: Queries, id: TransferId): Promise<void> {
  await query(
    `INSERT INTO open_transfers (authorization_nonce, transfer_id, from_address, to_address)
     SELECT coalesce(authorization_nonce, $2), id, from_address, to_address FROM transfers WHERE id = $1`,
    [id, hexToBytes(formerNonce(id))],
  );
}

export const changeTransfers = changing<TransferColumns>('transfers');

type BroadcastColumns = {
  readonly relayer: string;
  readonly firstNonce: number;
  readonly below: number;
  readonly sentAt: Date;
};

/** A node took these transactions, by default now: those with the nonces below `below`. */
export const insertBroadcastRows = inserting<BroadcastColumns, 'below'>('broadcasts', () => ({
  relayer: RELAYER,
  firstNonce: 0,
}));

type ConsumedColumns = { readonly blockNumber: number; readonly relayer: string; readonly below: number };

/** The chain has used the nonces of these relayers below `below`, at block 1. */
export const insertConsumedRows = inserting<ConsumedColumns, 'relayer' | 'below'>('consumed_nonces', () => ({
  blockNumber: 1,
}));

type TransactionColumns = {
  readonly relayer: string;
  readonly nonce: number;
  readonly createdAt: Date;
  readonly minedBlock?: number;
};

/** First attempts, mined in block 1 unless they say another, each carrying a payment of this transfer. */
export async function insertMinedAttempts(
  db: Queries,
  transferId: string,
  transactions: readonly TransactionColumns[],
): Promise<void> {
  const mined = { attempt: 0, raw: new Uint8Array(1), payload: [transferId], minedBlock: 1 };
  await insertRows(
    db,
    'transactions',
    transactions.map((transaction) => ({ ...mined, hash: hexToBytes(randomHash() as Hex), ...transaction })),
  );
  await insertRows(
    db,
    'further_transactions',
    transactions.map(({ relayer, nonce }) => ({ relayer, nonce, transferId })),
  );
}

const changeTransactions = changing<{ readonly createdAt: Date }>('transactions');
const changeBroadcasts = changing<{ readonly resentAt: Date }>('broadcasts');

/** Makes all transactions that much older, and the last time that they were sent too. */
export async function ageTransactions(db: Queries, age: string): Promise<void> {
  await changeTransactions(db, {}, { createdAt: earlier('createdAt', age) });
  await changeBroadcasts(db, {}, { resentAt: new Expression(`coalesce(resent_at, sent_at) - interval '${age}'`) });
}

const changeOpen = changing<{ readonly acceptedAt: Date }>('open_transfers');

/** As if what is on its way had been accepted so much earlier. */
export const ageOpenTransfers = (db: Queries, age: string) =>
  changeOpen(db, {}, { acceptedAt: earlier('acceptedAt', age) });

/** As if all transfers had been accepted, and the completed ones posted, so much earlier. */
export async function ageTransfers(db: Queries, age: string): Promise<void> {
  await ageOpenTransfers(db, age);
  await changeTransfers(db, {}, { createdAt: earlier('createdAt', age) });
  await changePostings(db, {}, { postedAt: earlier('postedAt', age) });
}

const changeRelayers = changing<{ readonly leaseExpiresAt: Date }>('relayers');

/** Makes every lease expire, without informing its holder. */
export function endLeases(db: Queries): Promise<void> {
  return changeRelayers(db, {}, { leaseExpiresAt: ago('1 day') });
}

export const changeProcesses = changing<{
  readonly id: string;
  readonly seenAt: Date;
  readonly startedAt: Date;
  readonly compatibility: number;
  readonly host: string;
}>('processes');

/** Puts the database's clock back by this much since the last look at leases and processes. */
export async function putClockBack(db: Queries, by: string): Promise<void> {
  await changeRelayers(db, {}, { leaseExpiresAt: earlier('leaseExpiresAt', `-${by}`) });
  await changeProcesses(db, {}, { seenAt: earlier('seenAt', `-${by}`) });
}

/** Removes all processes, as if none had been seen lately. */
export const forgetProcesses = (db: Queries) => removing('processes')(db, {});
