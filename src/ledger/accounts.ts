import { type Address, asAddress } from '../base/address.ts';
import type { AppId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import type { Query } from '../db/database.ts';

export type AccountKind = 'user' | 'app' | 'treasury' | 'external';

export type Account = {
  readonly address: Address;
  readonly kind: AccountKind;
  readonly userId: UserId | null;
  readonly appId: AppId | null;
  /** What the confirmed chain says. */
  readonly posted: Quarters;
  /** Set aside for transfers on their way. */
  readonly held: Quarters;
  readonly createdAt: Date;
  /** Closed with its user: nobody is paid there any more. */
  readonly closedAt: Date | null;
};

/** What can be spent now: confirmed on chain, less what is set aside. Never shown below zero. */
export function available(account: { posted: Quarters; held: Quarters }): Quarters {
  return asQuarters(account.posted > account.held ? account.posted - account.held : 0n);
}

type AccountRow = {
  address: string;
  kind: AccountKind;
  user_id: string | null;
  app_id: string | null;
  posted: bigint;
  held: bigint;
  created_at: Date;
  closed_at: Date | null;
};

const COLUMNS = 'address, kind, user_id, app_id, posted, held, created_at, closed_at';

function toAccount(row: AccountRow): Account {
  return {
    address: asAddress(row.address),
    kind: row.kind,
    userId: row.user_id as UserId | null,
    appId: row.app_id as AppId | null,
    posted: asQuarters(row.posted),
    held: asQuarters(row.held),
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}

export type OwnedBy = { kind: 'user'; userId: UserId } | { kind: 'app'; appId: AppId } | { kind: 'treasury' };

/**
 * Makes an address ours. It may have been seen on chain already as an outside address: then its balance stays.
 * The address may be disclosed only after COMMIT, else a deposit could arrive for a key that was never stored.
 */
export async function openAccount(
  { query }: { query: Query },
  address: Address,
  owner: OwnedBy,
  sealedKey: Uint8Array,
): Promise<Account> {
  const [row] = await query<AccountRow>(
    `INSERT INTO accounts (address, kind, user_id, app_id, sealed_key) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (address) DO UPDATE
       SET kind = excluded.kind, user_id = excluded.user_id, app_id = excluded.app_id, sealed_key = excluded.sealed_key
       WHERE accounts.kind = 'external'
     RETURNING ${COLUMNS}`,
    [
      address,
      owner.kind,
      owner.kind === 'user' ? owner.userId : null,
      owner.kind === 'app' ? owner.appId : null,
      Buffer.from(sealedKey),
    ],
  );
  if (!row) throw new Error(`The account ${address} is somebody's already`);
  return toAccount(row);
}

export async function findAccount({ query }: { query: Query }, address: Address): Promise<Account | null> {
  const [row] = await query<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE address = $1`, [address]);
  return row ? toAccount(row) : null;
}

/** The accounts of these users and those at these addresses, in no particular order. */
export async function findAccounts(
  { query }: { query: Query },
  users: readonly UserId[],
  addresses: readonly Address[],
): Promise<Account[]> {
  const rows = await query<AccountRow>(
    `SELECT ${COLUMNS} FROM accounts WHERE user_id = ANY($1::text[])
     UNION SELECT ${COLUMNS} FROM accounts WHERE address = ANY($2::text[])`,
    [users, addresses],
  );
  return rows.map(toAccount);
}

export async function findAccountOfUser({ query }: { query: Query }, userId: UserId): Promise<Account | null> {
  const [row] = await query<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE user_id = $1`, [userId]);
  return row ? toAccount(row) : null;
}

export async function findAccountOfApp({ query }: { query: Query }, appId: AppId): Promise<Account | null> {
  const [row] = await query<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE app_id = $1`, [appId]);
  return row ? toAccount(row) : null;
}

export async function findTreasury({ query }: { query: Query }): Promise<Account> {
  const [row] = await query<AccountRow>(`SELECT ${COLUMNS} FROM accounts WHERE kind = 'treasury'`);
  if (!row) throw new Error('There is no treasury yet: the contracts are not set up');
  return toAccount(row);
}

/** Of these accounts, those of ours that have set aside more than the chain says they have. */
export async function overdrawnAccounts(
  { query }: { query: Query },
  addresses: readonly Address[],
): Promise<Address[]> {
  const rows = await query<{ address: string }>(
    `SELECT address FROM accounts WHERE address = ANY($1) AND kind <> 'external' AND posted < held ORDER BY address`,
    [addresses],
  );
  return rows.map((row) => asAddress(row.address));
}

/** The sealed private keys of accounts that are ours. */
export async function sealedKeys(
  { query }: { query: Query },
  addresses: readonly Address[],
): Promise<Map<Address, Uint8Array>> {
  const rows = await query<{ address: string; sealed_key: Buffer }>(
    'SELECT address, sealed_key FROM accounts WHERE address = ANY($1) AND sealed_key IS NOT NULL',
    [addresses],
  );
  return new Map(rows.map((row) => [asAddress(row.address), row.sealed_key]));
}
