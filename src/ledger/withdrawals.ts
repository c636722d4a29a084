import type { Address } from '../base/address.ts';
import type { TransferId, UserId } from '../base/ids.ts';
import { asQuarters, type Quarters } from '../base/quarters.ts';
import { columnsOf, jsonRows, type Queries, type Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** A withdrawal that was accepted. Its transfer says whom it pays, and whether it was paid. */
export type AcceptedWithdrawal = {
  readonly transferId: TransferId;
  readonly userId: UserId;
  readonly amount: Quarters;
};

/** What was accepted in the last 24 hours, failed ones included: of all players, and of some. */
export type WithdrawnOfDay = { all: Quarters; readonly ofUsers: Map<UserId, Quarters> };

/** The limits count what was accepted since then. */
const IN_DAY = `accepted_at > now() - interval '24 hours'`;

/** What was withdrawn in the last 24 hours. Others' withdrawals may be accepted meanwhile: see {@link lockWithdrawn}. */
export async function readWithdrawn({ query }: Queries, users: readonly UserId[]): Promise<WithdrawnOfDay> {
  const [[sum], own] = await Promise.all([
    query<{ all: Quarters }>(`SELECT coalesce(sum(amount), 0)::bigint AS all FROM withdrawals WHERE ${IN_DAY}`),
    query<Pick<AcceptedWithdrawal, 'userId' | 'amount'>>(
      `SELECT user_id AS "userId", sum(amount)::bigint AS amount FROM withdrawals
        WHERE ${IN_DAY} AND user_id = ANY($1) GROUP BY user_id`,
      [users],
    ),
  ]);
  return { all: sum!.all, ofUsers: new Map(own.map(({ userId, amount }) => [userId, amount])) };
}

/** The same, and nobody accepts a withdrawal until this transaction ends: in all processes, one group is accepted after the other. */
export async function lockWithdrawn(tx: Tx, users: readonly UserId[]): Promise<WithdrawnOfDay> {
  const [, withdrawn] = await Promise.all([
    tx.query(`SELECT pg_advisory_xact_lock(hashtext('quarters.withdrawals'))`),
    readWithdrawn(tx, users),
  ]);
  return withdrawn;
}

export async function insertWithdrawals({ query }: Tx, withdrawals: readonly AcceptedWithdrawal[]): Promise<void> {
  await query(
    `INSERT INTO withdrawals (transfer_id, user_id, amount) SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[])`,
    columnsOf(withdrawals, ['transferId', 'userId', 'amount']),
  );
}

/**
 * What a restored database had lost of the last 24 hours counts again. `transfers`: to addresses outside. Only what players paid is a
 * withdrawal: the operator issues to such addresses too. Those of nobody who is known count for all.
 */
export async function recoverWithdrawals(
  { query }: Tx,
  transfers: readonly {
    readonly id: TransferId;
    readonly from: Address;
    readonly amount: Quarters;
    readonly at: Date;
  }[],
): Promise<void> {
  if (transfers.length === 0) return;
  await query(
    `INSERT INTO withdrawals (transfer_id, user_id, amount, accepted_at)
     SELECT id, coalesce(user_id, ''), amount, at
       FROM jsonb_to_recordset($1) AS paid (id uuid, "from" text, amount bigint, at timestamptz) JOIN accounts ON address = "from"
      WHERE at > now() - interval '24 hours' AND kind NOT IN ('treasury', 'app')
     ON CONFLICT DO NOTHING`,
    [jsonRows(transfers.map(({ id, from, amount, at }) => ({ id, from, amount, at })))],
  );
}

/** A player's withdrawals of the last 24 hours, newest first. */
export async function listWithdrawalsOf(
  { query }: Queries,
  userId: UserId,
): Promise<(Pick<AcceptedWithdrawal, 'transferId'> & { readonly acceptedAt: Date })[]> {
  return query(
    `SELECT transfer_id AS "transferId", accepted_at AS "acceptedAt" FROM withdrawals
      WHERE ${IN_DAY} AND user_id = $1 ORDER BY accepted_at DESC, transfer_id DESC`,
    [userId],
  );
}

export const KEPT_WITHDRAWALS = keepUntil(
  { from: 'FROM withdrawals', key: 'transfer_id', since: 'accepted_at', age: '24 hours' },
  { what: 'that a transfer was a withdrawal', kept: 'after it was accepted', why: 'the limits of withdrawals' },
);

/** A block above which what came in is not final. */
export type FinalUpTo = { readonly address: Address; readonly block: bigint };

/**
 * What came to these accounts in blocks above the given ones, whatever went out since. Accounts to which nothing came are left out. Exact
 * while the accounts are locked. It reads the postings of those blocks.
 */
export async function youngDeposits(
  { query }: Queries,
  accounts: readonly FinalUpTo[],
): Promise<ReadonlyMap<Address, Quarters>> {
  const rows = await query<{ address: Address; amount: Quarters }>(
    `SELECT address, amount
       FROM unnest($1::text[], $2::bigint[]) AS account (address, block) CROSS JOIN LATERAL (
         SELECT least(coalesce(sum(amount), 0), 9007199254740991)::bigint AS amount FROM postings
          WHERE block_number > block AND to_address = address AND from_address <> address) AS came
      WHERE amount > 0`,
    columnsOf(accounts, ['address', 'block']),
  );
  return new Map(rows.map(({ address, amount }) => [address, asQuarters(amount)]));
}
