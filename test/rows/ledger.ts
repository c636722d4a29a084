import { changing, inserting, randomHash, removing } from './statements.ts';

type AccountColumns = {
  readonly address: string;
  readonly kind: 'user' | 'app' | 'treasury' | 'external';
  readonly userId: string;
  readonly appId: string;
  readonly sealedKey: Uint8Array;
  readonly posted: bigint | number;
  readonly held: bigint | number;
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

/** By default one quarter each, the first log of a block, in its own transaction, posted now. */
export const insertPostingRows = inserting<PostingColumns, 'fromAddress' | 'toAddress'>('postings', (now) => ({
  blockHash: randomHash(),
  logIndex: 0,
  blockNumber: 1,
  txHash: randomHash(),
  amount: 1,
  postedAt: now,
  outsideBlock: null,
}));

export const changePostings = changing<PostingColumns>('postings');
export const removePostings = removing<PostingColumns>('postings');
