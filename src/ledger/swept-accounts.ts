import type { Address } from '../base/address.ts';
import type { AppId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { byteaText, jsonRows, type Queries, type Tx } from '../db/database.ts';
import type { AccountKind } from './accounts.ts';

/** An account of ours that is to get a new key, and with it a new address. */
export type OldAccount = {
  readonly address: Address;
  readonly kind: Exclude<AccountKind, 'external' | 'swept'>;
  readonly appId: AppId | null;
  readonly posted: Quarters;
  readonly storedKey: Uint8Array;
};

/** `to`: the new address, `keyId`: what its key is derived from. `sealedKey`: the old address's key. */
export type SweptAccount = {
  readonly from: Address;
  readonly to: Address;
  readonly posted: Quarters;
  readonly keyId: Uint8Array;
  readonly sealedKey: Uint8Array;
};

/** Rows of one answer and of one statement. */
const ROWS = 2_000;

/** Holds every account until the transaction ends: reading goes on. A statement may take long and read whole tables from here on. */
export async function lockAllAccounts({ query }: Tx): Promise<void> {
  await query(
    `SELECT set_config(key, value, true) FROM jsonb_each_text(
       '{"statement_timeout": "30min", "enable_seqscan": "on", "enable_hashjoin": "on", "jit": "off"}')`,
  );
  await query('LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE');
}

/** All accounts whose keys are ours, in pages. What the transaction changes meanwhile is not seen. */
export async function* accountsToSweep({ query }: Tx): AsyncGenerator<readonly OldAccount[]> {
  await query(
    `DECLARE to_sweep NO SCROLL CURSOR FOR
     SELECT address, kind, app_id AS "appId", posted, coalesce(key_id, sealed_key) AS "storedKey" FROM accounts
      WHERE kind NOT IN ('external', 'swept')`,
  );
  for (;;) {
    const rows = await query<OldAccount>(`FETCH ${ROWS} FROM to_sweep`);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) break;
  }
  await query('CLOSE to_sweep');
}

/**
 * Gives accounts new addresses. Whoever owns them, and whatever is known of them, stays with the account. Its old address stays behind with
 * the balance, which has to be moved, and belongs to nobody else. Call {@link followSwept} after the last of them.
 */
export async function sweepAccounts({ query }: Tx, swept: readonly SweptAccount[]): Promise<void> {
  const rows = jsonRows(
    swept.map(({ keyId, sealedKey, ...account }) => {
      return { ...account, keyId: byteaText(keyId), sealedKey: byteaText(sealedKey) };
    }),
  );
  await query(
    `UPDATE accounts SET address = "to", key_id = "keyId", sealed_key = NULL, posted = 0
       FROM jsonb_to_recordset($1) AS swept ("from" text, "to" text, "keyId" bytea) WHERE address = "from"`,
    [rows],
  );
  await query(
    `INSERT INTO accounts (address, kind, sealed_key, posted, merged_into, merged_at, unmoved)
     SELECT "from", 'swept', "sealedKey", posted, "to", now(), posted > 0
       FROM jsonb_to_recordset($1) AS swept ("from" text, "to" text, posted bigint, "sealedKey" bytea)`,
    [rows],
  );
}

/** What was merged into an old address, or swept to it earlier, goes to the new one from now on. */
export async function followSwept({ query }: Tx): Promise<void> {
  await query(
    `UPDATE accounts SET merged_into = swept.merged_into FROM accounts AS swept
      WHERE swept.kind = 'swept' AND accounts.merged_into = swept.address`,
  );
}

/** The addresses that these accounts have left, in no particular order. */
export async function formerAddresses({ query }: Queries, addresses: readonly Address[]): Promise<Address[]> {
  const rows = await query<{ address: Address }>(
    `SELECT address FROM accounts WHERE kind = 'swept' AND merged_into = ANY($1)`,
    [addresses],
  );
  return rows.map(({ address }) => address);
}

/** The new addresses of those that were swept; others are left out. */
export async function currentAddresses(
  { query }: Queries,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Address>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<{ address: Address; now: Address }>(
    `SELECT address, merged_into AS now FROM accounts WHERE kind = 'swept' AND address = ANY($1)`,
    [addresses],
  );
  return new Map(rows.map(({ address, now }) => [address, now]));
}

/** Accounts of one kind, closed ones too, and what they have together. */
export type AccountsOfKind = Pick<OldAccount, 'kind'> & { readonly accounts: number; readonly quarters: bigint };

/** The accounts whose keys are ours, by their kinds. It reads all of them. */
export async function countAccountsToSweep({ query }: Queries): Promise<AccountsOfKind[]> {
  const rows = await query<Pick<OldAccount, 'kind'> & { accounts: bigint; quarters: bigint }>(
    `SELECT kind, count(*) AS accounts, sum(posted)::bigint AS quarters FROM accounts
      WHERE kind NOT IN ('external', 'swept') GROUP BY kind ORDER BY kind`,
  );
  return rows.map(({ accounts, ...row }) => ({ ...row, accounts: Number(accounts) }));
}

/** Whether anything is held but what rewards hold of the treasury. It reads all accounts. */
export async function hasOtherHolds({ query }: Queries): Promise<boolean> {
  const rows = await query(
    `SELECT FROM accounts WHERE held <> CASE WHEN kind <> 'treasury' THEN 0 ELSE coalesce(
       (SELECT sum(amount - claimed) FROM rewards WHERE claimed < amount), 0) END LIMIT 1`,
  );
  return rows.length > 0;
}
