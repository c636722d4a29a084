import { type Hex, hexToBytes } from '../../src/base/hex.ts';
import { changing, inserting, insertRows, type Queries, randomHash, removing } from './statements.ts';

type AccountColumns = {
  readonly address: string;
  readonly kind: 'user' | 'app' | 'treasury' | 'external' | 'recovered' | 'swept';
  readonly userId: string | null;
  readonly appId: string;
  readonly sealedKey: Uint8Array | null;
  readonly posted: bigint | number;
  readonly held: bigint | number;
  readonly unmoved: boolean;
  readonly mergedInto: string | null;
};

/** Unknown outside accounts without quarters, by default. */
export const insertAccountRows = inserting<AccountColumns, 'address'>('accounts', () => ({ kind: 'external' }));

export const changeAccounts = changing<AccountColumns>('accounts');
export const removeAccounts = removing<AccountColumns>('accounts');

type OrphanedColumns = { readonly address: string; readonly amount: number; readonly orphanedAt: Date };

/** Deposits that a reorganisation took from accounts just now, by default. */
export const insertOrphanedDeposits = inserting<OrphanedColumns, 'address' | 'amount'>('orphaned_deposits', (now) => ({
  orphanedAt: now,
}));

export const changeOrphanedDeposits = changing<OrphanedColumns>('orphaned_deposits');

type PostingColumns = {
  readonly blockHash: string;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly txHash: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: number;
  readonly postedAt: Date | null;
  /** The block, if no transfer of ours made the log. */
  readonly outsideBlock: number | null;
};

type NewPosting = Pick<PostingColumns, 'fromAddress' | 'toAddress'> & Partial<PostingColumns>;

/** By default one quarter each, the first log of a block, in its own transaction, posted now. */
export function insertPostingRows(db: Queries, rows: readonly NewPosting[]): Promise<void> {
  const now = new Date();
  const postings = rows.map((row) => ({
    logIndex: 0,
    blockNumber: 1,
    amount: 1,
    postedAt: now,
    outsideBlock: null,
    ...row,
    blockHash: hexToBytes((row.blockHash ?? randomHash()) as Hex),
    txHash: hexToBytes((row.txHash ?? randomHash()) as Hex),
  }));
  return insertRows(db, 'postings', postings);
}

export const changePostings = changing<Omit<PostingColumns, 'blockHash' | 'txHash'>>('postings');

const removeWhere = removing<{ readonly txHash: Uint8Array }>('postings');

/** Removes the postings of a transaction. */
export const removePostings = (db: Queries, { txHash }: { readonly txHash: string }) =>
  removeWhere(db, { txHash: hexToBytes(txHash as Hex) });

/** The newest block of the ledger, complete, without any below it. */
export const insertBlockRow = (db: Queries, number: number) =>
  insertRows(db, 'blocks', [{ number, hash: randomHash(), parentHash: randomHash(), nextLogIndex: 0, complete: true }]);

/** Accounts get what the postings gave them. */
export async function sumUpPostings({ query }: Queries): Promise<void> {
  await query(
    `UPDATE accounts SET posted = coalesce((SELECT sum(amount) FROM postings WHERE to_address = address), 0)
                                - coalesce((SELECT sum(amount) FROM postings WHERE from_address = address), 0)`,
  );
}
