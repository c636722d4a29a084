import type { Address } from '../base/address.ts';
import type { AppId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import { byteaText, jsonRows, type Lookup, type Lookups, type Queries, type Tx } from '../db/database.ts';

/**
 * `recovered`: its key was found again from the chain, and nobody has named it yet. `swept`: no account any more, but an address that one has
 * left for a new one (`swept-accounts.ts`).
 */
export type AccountKind = 'user' | 'app' | 'treasury' | 'external' | 'recovered' | 'swept';

export type Account = {
  readonly address: Address;
  readonly kind: AccountKind;
  readonly userId: UserId | null;
  readonly appId: AppId | null;
  /** The balance on the confirmed chain. */
  readonly posted: Quarters;
  /** Reserved for transfers that are not settled yet. */
  readonly held: Quarters;
  readonly createdAt: Date;
  /** When it was closed with its user. A closed account is not paid any more. */
  readonly closedAt: Date | null;
  /** The account that gets the quarters of this one: a closed guest's, whose player has another account, or a swept one. */
  readonly mergedInto: Address | null;
  /** When the operator froze its user, or suspended its app. Nothing is paid from it until that is lifted. */
  readonly frozenAt: Date | null;
  /** What its key is derived from; null for others' accounts, and for those from before there was a seed. */
  readonly keyId: Uint8Array | null;
};

/** What can be spent now: the confirmed balance less the holds, and at least zero. */
export function available(account: { posted: Quarters; held: Quarters }): Quarters {
  return asQuarters(account.posted > account.held ? account.posted - account.held : 0n);
}

const COLUMNS = `address, kind, user_id AS "userId", app_id AS "appId", posted, held, created_at AS "createdAt",
  coalesce(closed_at, merged_at) AS "closedAt", merged_into AS "mergedInto", frozen_at AS "frozenAt", key_id AS "keyId"`;

export type OwnedBy = { kind: 'user'; userId: UserId } | { kind: 'app'; appId: AppId } | { kind: 'treasury' };

/** `keyId`: what its key is derived from. */
export type NewAccount = { readonly address: Address; readonly owner: OwnedBy; readonly keyId: Uint8Array };

/**
 * Opens accounts of this service. If the chain has shown an address before, as an external or a recovered one, its balance stays.
 * Disclose the addresses only after COMMIT: otherwise a deposit could arrive for a key that was never stored.
 */
export async function openAccounts({ query }: Queries, accounts: readonly NewAccount[]): Promise<void> {
  const rows = accounts.map(({ address, owner, keyId }) => ({ address, ...owner, keyId: byteaText(keyId) }));
  const opened = await query(
    `INSERT INTO accounts (address, kind, user_id, app_id, key_id)
     SELECT address, kind, "userId", "appId", "keyId" FROM jsonb_to_recordset($1) AS account
            (address text, kind text, "userId" text, "appId" text, "keyId" bytea)
      ORDER BY address
     ON CONFLICT (address) DO UPDATE
       SET kind = excluded.kind, user_id = excluded.user_id, app_id = excluded.app_id, key_id = excluded.key_id
       WHERE accounts.kind IN ('external', 'recovered')
     RETURNING 1`,
    [jsonRows(rows)],
  );
  if (opened.length < accounts.length) throw new Error('One of the new accounts belongs to somebody already');
}

/** `at`: when it was first paid. */
export type RecoveredAccount = Pick<NewAccount, 'address' | 'keyId'> & { readonly at: Date };

/** Keeps the keys of accounts of ours that nobody owns yet. Those that are known stay. Returns how many were not. */
export async function recoverAccounts({ query }: Queries, accounts: readonly RecoveredAccount[]): Promise<number> {
  if (accounts.length === 0) return 0;
  const rows = await query(
    `INSERT INTO accounts (address, kind, key_id, created_at)
     SELECT address, 'recovered', "keyId", at FROM jsonb_to_recordset($1) AS account (address text, "keyId" bytea, at timestamptz)
      ORDER BY address
     ON CONFLICT (address) DO UPDATE SET kind = excluded.kind, key_id = excluded.key_id WHERE accounts.kind = 'external'
     RETURNING 1`,
    [jsonRows(accounts.map((account) => ({ ...account, keyId: byteaText(account.keyId) })))],
  );
  return rows.length;
}

/** Which of these addresses are accounts of ours. */
export async function oursAmong({ query }: Queries, addresses: readonly Address[]): Promise<Set<Address>> {
  const rows = await query<{ address: Address }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND kind <> 'external'`,
    [addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

export function openAccount(db: Queries, address: Address, owner: OwnedBy, keyId: Uint8Array): Promise<void> {
  return openAccounts(db, [{ address, owner, keyId }]);
}

/** The accounts of these owners and those at these addresses, in no particular order. One that is named twice may be there twice. */
export async function findAccounts(
  { query }: Queries,
  {
    users = [],
    apps = [],
    addresses = [],
  }: { users?: readonly UserId[]; apps?: readonly AppId[]; addresses?: readonly Address[] },
): Promise<Account[]> {
  return query<Account>(
    `SELECT ${COLUMNS} FROM accounts WHERE user_id = ANY($1::text[])
     UNION ALL SELECT ${COLUMNS} FROM accounts WHERE app_id = ANY($2::text[])
     UNION ALL SELECT ${COLUMNS} FROM accounts WHERE address = ANY($3::text[])`,
    [users, apps, addresses],
  );
}

/** What names an owner in {@link ACCOUNTS}. No address begins with either. */
const OF_USER = 'user ';
const OF_APP = 'app ';

/** By address, by user and by app. */
const ACCOUNTS: Lookup<Account> = async (db, keys) => {
  const idsOf = (kind: string) => keys.flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length)] : []));
  const found = await findAccounts(db, {
    users: idsOf(OF_USER) as UserId[],
    apps: idsOf(OF_APP) as AppId[],
    addresses: idsOf('0x').map((digits) => `0x${digits}` as Address),
  });
  const accounts = await byAddressNow(db, found);
  const named = [...accounts.values()].flatMap((account) => [
    [OF_USER + account.userId, account] as const,
    [OF_APP + account.appId, account] as const,
  ]);
  return new Map<string, Account>([...accounts, ...named]);
};

/** These accounts by their addresses. An address that its account has left in a sweep gives that account. */
export async function byAddressNow(db: Queries, found: readonly Account[]): Promise<Map<Address, Account>> {
  const swept = found.filter(({ kind }) => kind === 'swept');
  const now =
    swept.length === 0 ? [] : await findAccounts(db, { addresses: swept.map(({ mergedInto }) => mergedInto!) });
  const accounts = new Map([...found, ...now].map((account) => [account.address, account]));
  for (const { address, mergedInto } of swept) accounts.set(address, accounts.get(mergedInto!)!);
  return accounts;
}

/**
 * The account at an address, in a statement that other calls share; null if there is none. Games keep addresses, so one that its account has
 * left in a sweep still names it.
 */
export function lookUpAccount(db: Lookups, address: Address): Promise<Account | null> {
  return db.lookUp(ACCOUNTS, address);
}

/** Whether two addresses name the same account: one of them may be one that it has left. */
export async function isSameAccount(db: Lookups, one: Address, other: Address): Promise<boolean> {
  if (one === other) return true;
  const [first, second] = await Promise.all([lookUpAccount(db, one), lookUpAccount(db, other)]);
  return first !== null && first.address === second?.address;
}

export function lookUpAccountOfUser(db: Lookups, userId: UserId): Promise<Account | null> {
  return db.lookUp(ACCOUNTS, OF_USER + userId);
}

export function lookUpAccountOfApp(db: Lookups, appId: AppId): Promise<Account | null> {
  return db.lookUp(ACCOUNTS, OF_APP + appId);
}

/** What guests of an app have on the confirmed chain, and how many of them have any. Only their app reaches a guest's quarters. */
export async function guestHoldings(
  { query }: Queries,
  appId: AppId,
): Promise<{ readonly guests: number; readonly quarters: Quarters }> {
  const [row] = await query<{ guests: bigint; quarters: Quarters }>(
    `SELECT count(*) AS guests, coalesce(sum(posted), 0)::bigint AS quarters
       FROM accounts JOIN users ON users.id = accounts.user_id
      WHERE users.guest_of = $1 AND users.kind = 'guest' AND posted > 0`,
    [appId],
  );
  return { guests: Number(row!.guests), quarters: row!.quarters };
}

export async function findTreasury({ query }: Queries): Promise<Account> {
  const [row] = await query<Account>(`SELECT ${COLUMNS} FROM accounts WHERE kind = 'treasury'`);
  if (!row) throw new Error('There is no treasury yet: the contracts are not set up');
  return row;
}

/** Which of these accounts of ours hold more than their confirmed balance. */
export async function overdrawnAccounts({ query }: Queries, addresses: readonly Address[]): Promise<Address[]> {
  const rows = await query<{ address: Address }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND kind <> 'external' AND posted < held ORDER BY address`,
    [addresses],
  );
  return rows.map(({ address }) => address);
}

/** Which of these accounts are closed, each with the account that it was merged into, or null. */
export async function closedAmong(
  { query }: Queries,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, Address | null>> {
  if (addresses.length === 0) return new Map();
  const rows = await query<Pick<Account, 'address' | 'mergedInto'>>(
    `SELECT address, merged_into AS "mergedInto" FROM accounts
      WHERE address = ANY($1) AND coalesce(closed_at, merged_at) IS NOT NULL`,
    [addresses],
  );
  return new Map(rows.map(({ address, mergedInto }) => [address, mergedInto]));
}

/** Which of these accounts are frozen. */
export async function frozenAmong({ query }: Queries, addresses: readonly Address[]): Promise<ReadonlySet<Address>> {
  if (addresses.length === 0) return new Set();
  const rows = await query<{ address: Address }>(
    'SELECT address FROM accounts WHERE address = ANY($1) AND frozen_at IS NOT NULL',
    [addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

/** What is stored of the keys of those addresses that are our accounts: a key id, or of an account from before a sealed key. */
export async function storedKeys({ query }: Queries, addresses: readonly Address[]): Promise<Map<Address, Uint8Array>> {
  const rows = await query<{ address: Address; key: Buffer }>(
    `SELECT address, coalesce(key_id, sealed_key) AS key FROM accounts WHERE address = ANY($1) AND kind <> 'external'`,
    [addresses],
  );
  return new Map(rows.map(({ address, key }) => [address, key]));
}

/** Of the authorizations the chain shows as used or cancelled, those of our accounts. */
export async function authorizationsOfOurs<Shown extends { readonly authorizer: Address }>(
  { query }: Queries,
  shown: readonly Shown[],
): Promise<Shown[]> {
  if (shown.length === 0) return [];
  const ours = await oursAmong({ query }, [...new Set(shown.map(({ authorizer }) => authorizer))]);
  return shown.filter(({ authorizer }) => ours.has(authorizer));
}

export type LockedAccount = { readonly posted: Quarters; held: Quarters; readonly frozenAt: Date | null };

/**
 * Locks accounts in address order (the documented lock order) and reads their current balances, and whether they are frozen.
 *
 * NO KEY UPDATE: a plain FOR UPDATE conflicts with the key-share lock of a foreign key check and deadlocks.
 */
export async function lockAccounts({ query }: Tx, addresses: Iterable<Address>): Promise<Map<Address, LockedAccount>> {
  const rows = await query<LockedAccount & { readonly address: Address }>(
    `SELECT address, posted, held, frozen_at AS "frozenAt" FROM accounts
      WHERE address = ANY($1) ORDER BY address FOR NO KEY UPDATE`,
    [[...new Set(addresses)].sort()],
  );
  return new Map(rows.map(({ address, ...balances }) => [address, balances]));
}

/** Adds to the holds. The caller must have locked the accounts and checked that they have enough. */
export async function addHolds({ query }: Tx, amounts: ReadonlyMap<Address, Quarters>): Promise<void> {
  await query(
    `UPDATE accounts SET held = held + change.amount
       FROM unnest($1::text[], $2::bigint[]) AS change (address, amount)
      WHERE accounts.address = change.address`,
    [[...amounts.keys()], [...amounts.values()]],
  );
}
