import type { Queries } from '../../../db/database.ts';
import type { LoggedAction } from '../../../operator-log/logged-actions.ts';

/** An entry that has its place. `entry`: the text that is hashed. */
export type ChainedEntry = { readonly sequence: bigint; readonly hash: Buffer; readonly entry: string };

/** Which entries; what is left out does not matter. `actors`, `subjects`: ids, any of which counts. */
export type EntryFilter = {
  readonly action?: LoggedAction | undefined;
  readonly actors?: readonly string[] | undefined;
  readonly subjects?: readonly string[] | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

const COLUMNS = 'sequence, hash, entry::text AS entry';

/** Each uses an index, so a search for what is rare does not read the whole log. */
const CONDITIONS = {
  action: (n: number) => `action = $${n}`,
  actors: (n: number) => `actor = ANY($${n})`,
  subjects: (n: number) => `subject = ANY($${n})`,
  from: (n: number) => `at >= $${n}`,
  to: (n: number) => `at < $${n}`,
} as const satisfies Record<keyof EntryFilter, (n: number) => string>;

/** The newest `limit` entries that match, below `before` if that is given. */
export async function readEntries(
  { query }: Queries,
  filter: EntryFilter,
  limit: number,
  before: bigint | null = null,
): Promise<ChainedEntry[]> {
  const given = (Object.keys(CONDITIONS) as (keyof EntryFilter)[]).filter((name) => filter[name] !== undefined);
  const values = given
    .map((name) => filter[name])
    .map((value) => (value instanceof Date ? value.toISOString() : value));
  const conditions = given.map((name, i) => ` AND ${CONDITIONS[name](i + 3)}`).join('');
  return query<ChainedEntry>(
    `SELECT ${COLUMNS} FROM operator_log
      WHERE sequence IS NOT NULL AND ($1::bigint IS NULL OR sequence < $1)${conditions} ORDER BY sequence DESC LIMIT $2`,
    [before, limit, ...values],
  );
}

/** The next `limit` entries after a sequence number, in the order of the chain. */
export async function readChain({ query }: Queries, after: bigint, limit: number): Promise<ChainedEntry[]> {
  return query<ChainedEntry>(`SELECT ${COLUMNS} FROM operator_log WHERE sequence > $1 ORDER BY sequence LIMIT $2`, [
    after,
    limit,
  ]);
}

export async function findEntry({ query }: Queries, sequence: bigint): Promise<ChainedEntry | null> {
  const [row] = await query<ChainedEntry>(`SELECT ${COLUMNS} FROM operator_log WHERE sequence = $1`, [sequence]);
  return row ?? null;
}

/** The notes of operators by their hashes in hex, as far as they are still there. */
export async function readReasons(
  { query }: Queries,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, { readonly salt: Buffer; readonly reason: string }>> {
  if (hashes.length === 0) return new Map();
  const rows = await query<{ hash: string; salt: Buffer; reason: string }>(
    `SELECT encode(hash, 'hex') AS hash, salt, reason FROM operator_log_reasons
      WHERE hash IN (SELECT decode(digits, 'hex') FROM unnest($1::text[]) AS digits)`,
    [hashes],
  );
  return new Map(rows.map(({ hash, ...rest }) => [hash, rest]));
}

/** The last verification, and when a signed head was last written to the service's log. */
export type LogCheck = {
  readonly checkedAt: Date | null;
  /** The newest entry at that time. */
  readonly sequence: bigint | null;
  readonly wrongSequence: bigint | null;
  readonly fault: string | null;
  readonly headWrittenAt: Date | null;
};

export async function readCheck({ query }: Queries): Promise<LogCheck> {
  const [row] = await query<LogCheck>(
    `SELECT checked_at AS "checkedAt", sequence, wrong_sequence AS "wrongSequence", fault, head_written_at AS "headWrittenAt"
       FROM operator_log_checks`,
  );
  return row!;
}

const DUE = `(head_written_at IS NULL OR head_written_at <= now() - interval '24 hours')`;

/** Whether the log was not verified for 24 hours. */
export async function isCheckDue({ query }: Queries): Promise<boolean> {
  return (await query(`SELECT FROM operator_log_checks WHERE ${DUE}`)).length > 0;
}

/** Stores what a due verification found. False if another process has stored one meanwhile, which then writes the signed head. */
export async function storeCheck(
  { query }: Queries,
  { sequence, wrongSequence, fault }: Pick<LogCheck, 'sequence' | 'wrongSequence' | 'fault'>,
): Promise<boolean> {
  const rows = await query(
    `UPDATE operator_log_checks
        SET checked_at = now(), sequence = $1, wrong_sequence = $2, fault = $3, head_written_at = now()
      WHERE ${DUE} RETURNING 1`,
    [sequence, wrongSequence, fault],
  );
  return rows.length > 0;
}
