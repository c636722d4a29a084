import type { Queries, Tx } from './database.ts';

/** A sealed value of a row. `context`: what it was sealed for. `id`: of its row, in the order of {@link SealedRows.list}. */
export type SealedValue = { readonly id: string; readonly sealed: Buffer; readonly context: string };

/** The same value, sealed anew. */
export type ResealedValue = SealedValue & { readonly anew: Buffer };

/**
 * The sealed values of a table that stay, so that they can be sealed anew under another data key. A sealed value begins with the number of its
 * key (4 bytes).
 */
export type SealedRows = {
  /** Values under other keys than this one, of rows after `after`, in the order in which rows are locked. */
  list(db: Queries, key: Buffer, after: string, most: number): Promise<SealedValue[]>;
  /** Replaces those values that are still what they were. */
  replace(tx: Tx, values: readonly ResealedValue[]): Promise<void>;
};
