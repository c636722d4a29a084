import type { Address } from '../../base/address.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Tx } from '../../db/database.ts';
import type { PostedBlock } from '../../ledger/blocks.ts';
import type { AuditFindings } from './findings.ts';
import type { Pace } from './pace.ts';

/** One comparison under way. */
export type Audit = {
  readonly rpc: Rpc;
  readonly token: Address;
  readonly block: Pick<PostedBlock, 'number' | 'hash'>;
  readonly pageSize: number;
  /** Of the hashes of addresses: random, so that nobody can choose balances whose hashes make up for one another. */
  readonly seed: bigint;
  readonly findings: AuditFindings;
  readonly pace: Pace;
  /** Reads a page in a short transaction. Throws if a reorganisation has removed the block. */
  read<T>(page: (tx: Tx) => Promise<T>): Promise<T>;
};
