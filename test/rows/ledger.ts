import { randomBytes } from 'node:crypto';
import { changing, insertRows, type Queries, removing } from './statements.ts';

type AccountColumns = {
  readonly address: string;
  readonly kind: 'user' | 'app' | 'treasury' | 'external';
  readonly userId: string;
  readonly appId: string;
  readonly sealedKey: Uint8Array;
  readonly posted: bigint | number;
  readonly held: bigint | number;
};

/** Accounts of nobody we know, without quarters, unless said. */
export function insertAccountRows(
  db: Queries,
  rows: readonly (Pick<AccountColumns, 'address'> & Partial<AccountColumns>)[],
): Promise<void> {
  return insertRows(
    db,
    'accounts',
    rows.map((row) => ({ kind: 'external', ...row })),
  );
}

export const changeAccounts = changing<AccountColumns>('accounts');
export const removeAccounts = removing<AccountColumns>('accounts');

type PostingColumns = {
  readonly blockHash: string;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly txHash: string;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: number;
  readonly postedAt: Date | null;
  /** The block, where no transfer of ours made the log. */
  readonly outsideBlock: number | null;
};

/** One quarter each, the first log of a block and a transaction of its own, posted now, unless said. */
export function insertPostingRows(
  db: Queries,
  rows: readonly (Pick<PostingColumns, 'fromAddress' | 'toAddress'> & Partial<PostingColumns>)[],
): Promise<void> {
  return insertRows(
    db,
    'postings',
    rows.map((row) => ({
      blockHash: randomHash(),
      logIndex: 0,
      blockNumber: 1,
      txHash: randomHash(),
      amount: 1,
      postedAt: new Date(),
      outsideBlock: null,
      ...row,
    })),
  );
}

export const changePostings = changing<PostingColumns>('postings');
export const removePostings = removing<PostingColumns>('postings');

const randomHash = () => `0x${randomBytes(32).toString('hex')}`;
