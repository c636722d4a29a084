import { type Address, asAddress } from '../base/address.ts';
import type { Hash } from '../base/hex.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Tx } from '../db/database.ts';

/** One `Transfer` log of the token: both entries of a double-entry posting. */
export type Posting = {
  readonly blockHash: Hash;
  readonly blockNumber: bigint;
  readonly logIndex: number;
  readonly txHash: Hash;
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
};

/** What a block does to the accounts: signed changes of `posted` and `held`. */
export class BalanceChanges {
  readonly #changes = new Map<Address, { posted: bigint; held: bigint }>();

  add(address: Address, change: { posted?: bigint; held?: bigint }): void {
    const sum = this.#changes.get(address) ?? { posted: 0n, held: 0n };
    sum.posted += change.posted ?? 0n;
    sum.held += change.held ?? 0n;
    this.#changes.set(address, sum);
  }

  /** A posting, or with `sign` −1 its reversal. */
  addPosting(posting: { from: Address; to: Address; amount: bigint }, sign: 1n | -1n): void {
    this.add(posting.from, { posted: -posting.amount * sign });
    this.add(posting.to, { posted: posting.amount * sign });
  }

  entries(): [Address, { posted: bigint; held: bigint }][] {
    return [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Stores postings. Each log is stored once, whoever reads it again. Returns those that were new. */
export async function insertPostings({ query }: Tx, postings: readonly Posting[]): Promise<Posting[]> {
  if (postings.length === 0) return [];
  const stored = await query<{ block_hash: string; log_index: number }>(
    `INSERT INTO postings (block_hash, log_index, block_number, tx_hash, from_address, to_address, amount, outside_block)
     SELECT log.*, CASE WHEN amount > 0 AND NOT EXISTS (
              SELECT FROM accounts WHERE address IN (sender, recipient) AND kind = 'app') THEN block_number END
       FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[])
            AS log (block_hash, log_index, block_number, tx_hash, sender, recipient, amount)
     ON CONFLICT DO NOTHING
     RETURNING block_hash, log_index`,
    [
      postings.map((p) => p.blockHash),
      postings.map((p) => p.logIndex),
      postings.map((p) => p.blockNumber),
      postings.map((p) => p.txHash),
      postings.map((p) => p.from),
      postings.map((p) => p.to),
      postings.map((p) => p.amount),
    ],
  );
  const isNew = new Set(stored.map((row) => `${row.block_hash}/${row.log_index}`));
  return postings.filter((posting) => isNew.has(`${posting.blockHash}/${posting.logIndex}`));
}

/** Takes out the postings of orphaned blocks: those above `block`. Returns them, so that their effect can be undone. */
export async function removePostingsAbove(
  { query }: Tx,
  block: bigint,
): Promise<{ from: Address; to: Address; amount: Quarters }[]> {
  const rows = await query<{ from_address: string; to_address: string; amount: bigint }>(
    'DELETE FROM postings WHERE block_number > $1 RETURNING from_address, to_address, amount',
    [block],
  );
  return rows.map((row) => ({
    from: asAddress(row.from_address),
    to: asAddress(row.to_address),
    amount: asQuarters(row.amount),
  }));
}

/**
 * Applies changes to the accounts in address order: `posted` and `held` in one UPDATE. Called last in its transaction:
 * hot rows stay locked only for these few milliseconds. Of those that are closed, the sweep looks at each anew.
 */
export async function applyChanges({ query }: Tx, changes: BalanceChanges): Promise<void> {
  const entries = changes.entries();
  if (entries.length === 0) return;
  const addresses = entries.map(([address]) => address);
  // Addresses never seen before become outside accounts.
  await query(
    `INSERT INTO accounts (address, kind) SELECT address, 'external' FROM unnest($1::text[]) AS address
     ON CONFLICT (address) DO NOTHING`,
    [addresses],
  );
  await query(
    `WITH locked AS (SELECT address FROM accounts WHERE address = ANY($1) ORDER BY address FOR NO KEY UPDATE)
     UPDATE accounts SET posted = accounts.posted + change.posted, held = accounts.held + change.held,
            unswept = unswept OR closed_at IS NOT NULL
       FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS change (address, posted, held)
       JOIN locked USING (address)
      WHERE accounts.address = change.address`,
    [addresses, entries.map(([, change]) => change.posted), entries.map(([, change]) => change.held)],
  );
}
