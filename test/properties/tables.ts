import type { Hash } from '../../src/base/hex.ts';
import type { TransferId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/database.ts';

type Row<T> = readonly T[];

/** All tables at one moment, as JSON: amounts as numbers, times as text, hashes and other bytes in hex. */
export type Tables = {
  readonly app_keys: Row<{
    app_id: string;
    ask_per_day: number | null;
    asked_today: number;
    approve_per_day: number | null;
    approved_today: number;
  }>;
  readonly accounts: Row<{
    address: string;
    kind: string;
    user_id: string | null;
    app_id: string | null;
    posted: number;
    held: number;
    frozen_at: string | null;
  }>;
  readonly withdrawal_addresses: Row<{ user_id: string; address: string }>;
  readonly orphaned_deposits: Row<{ address: string; amount: number }>;
  readonly postings: Row<{ from_address: string; to_address: string; amount: number }>;
  readonly blocks: Row<{ number: number; hash: string; complete: boolean }>;
  readonly requests: Row<{
    id: string;
    app_id: string;
    user_id: string;
    from_address: string;
    amount: number;
    refund_of: string | null;
    status: string;
    expires_at: string;
    source: string;
    sequence: number;
    transitions: readonly string[];
    transition_times: readonly string[];
  }>;
  readonly pending_requests: Row<{ request_id: string; user_id: string; app_id: string; expires_at: string }>;
  readonly events: Row<{
    id: string;
    app_id: string;
    type: string;
    sequence: number;
    position: number;
    request_id: string;
    tx_hash: string | null;
    refunded: number | null;
  }>;
  readonly transfers: Row<{
    id: TransferId;
    request_id: string | null;
    from_address: string;
    to_address: string;
    amount: number;
    status: string;
    tx_hash: string;
    relayer: string;
    relayer_nonce: number;
    is_split: boolean;
    decided_block: number | null;
    authorization_nonce: Hash;
  }>;
  readonly open_transfers: Row<{
    accepted_at: string;
    authorization_nonce: string;
    transfer_id: string;
    from_address: string;
    to_address: string;
  }>;
  readonly recovered_payments: Row<{ what: string; transfer_id: string | null }>;
  readonly relayers: Row<{ address: string; purpose: string; next_nonce: number }>;
  readonly transactions: Row<{
    hash: string;
    relayer: string;
    nonce: number;
    attempt: number;
    payload: readonly string[];
    mined_block: number | null;
  }>;
  readonly further_transactions: Row<{ transfer_id: string; relayer: string; nonce: number }>;
  readonly broadcasts: Row<{ relayer: string; first_nonce: number; below: number }>;
  readonly consumed_nonces: Row<{ relayer: string; block_number: number; below: number }>;
  readonly rewards: Row<{
    id: string;
    user_id: string;
    amount: number;
    claimed: number;
    source: string;
    key: string;
    app_id: string | null;
    granted_at: string;
  }>;
  readonly reward_claims: Row<{ transfer_id: string; reward_id: string; amount: number }>;
  readonly mandates: Row<{
    user_id: string;
    app_id: string;
    max_per_transfer: number;
    max_per_day: number;
    spent_today: number;
    spent_on: string;
  }>;
};

export type TableReader = {
  read(): Promise<Tables>;
  /** Puts every table back to its state when the reader was opened. */
  reset(): Promise<void>;
  /** Takes a copy of every table, in place of an earlier one at this place. */
  copy(place: CopyPlace): Promise<void>;
  /** Puts every table, and what numbers rows, back to the copy. */
  restoreCopy(place: CopyPlace): Promise<void>;
};

const TRUNCATE_EACH = 20;
const AT_FIRST = 'at_first';

/** Where copies are kept: schemas. */
export const COPY_PLACES = ['copied', 'copied_too'] as const;
export type CopyPlace = (typeof COPY_PLACES)[number];

export async function openTables({ query }: Database): Promise<TableReader> {
  const tables = await query<{ name: string; columns: string }>(
    // Generated columns are left out, because they compute themselves.
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) AS columns
       FROM information_schema.tables JOIN information_schema.columns USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'pgmigrations' AND is_generated = 'NEVER'
      GROUP BY table_name ORDER BY 1`,
  );
  const names = tables.map(({ name }) => name);
  async function create(schema: string): Promise<void> {
    await query(`CREATE SCHEMA ${schema}`);
    for (const name of names) await query(`CREATE TABLE ${schema}.${name} AS TABLE public.${name}`);
  }
  await create(AT_FIRST);
  const each = names.map(
    (name) => `SELECT '${name}' AS name, (SELECT coalesce(json_agg(t), '[]') FROM public.${name} AS t) AS rows`,
  );
  const all = `SELECT json_object_agg(name, rows)::text AS tables FROM (${each.join(' UNION ALL ')}) AS each`;
  const numbered = new Map<CopyPlace, readonly { readonly name: string; readonly last: bigint | null }[]>();
  let replaced = 0;
  /** Copies all rows from one schema to another. */
  async function replace(from: string, to: string): Promise<void> {
    // TRUNCATE makes a new file of each table and index, which takes longer than all else, but DELETE leaves what only a vacuum clears away.
    // Both wait for what is under way.
    const emptied = names.map((name) => `${to}.${name}`);
    const empty =
      replaced++ % TRUNCATE_EACH === 0
        ? `TRUNCATE ${emptied.join()};`
        : `LOCK ${emptied.join()}; ${emptied.map((table) => `DELETE FROM ${table};`).join('\n')}`;
    const inserts = tables.map(
      ({ name, columns }) =>
        `INSERT INTO ${to}.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${from}.${name};`,
    );
    // Switches triggers off, and with them the foreign keys, so the order of the tables does not matter.
    await query(
      `DO $$ BEGIN
         SET LOCAL session_replication_role = replica;
         ${empty}
         ${inserts.join('\n')}
       END $$`,
    );
  }
  return {
    async read() {
      const [row] = await query<{ tables: string }>(all);
      return JSON.parse(row!.tables, (_, value) => (isBytes(value) ? value.replace('\\x', '0x') : value));
    },
    reset: () => replace(AT_FIRST, 'public'),
    async copy(place) {
      await (numbered.has(place) ? replace('public', place) : create(place));
      numbered.set(
        place,
        await query(
          `SELECT quote_ident(sequencename) AS name, last_value AS last FROM pg_sequences WHERE schemaname = 'public'`,
        ),
      );
    },
    async restoreCopy(place) {
      await replace(place, 'public');
      for (const { name, last } of numbered.get(place)!)
        await query('SELECT setval($1, $2, $3)', [name, last ?? 1n, last !== null]);
    },
  };
}

const isBytes = (value: unknown): value is string => typeof value === 'string' && value.startsWith('\\x');

// A refusal may change leases and the time a token was last used.
const PASSING = new Set(['lease_holder', 'lease_epoch', 'lease_expires_at', 'last_used_at', 'seen_at']);

/** Text that is equal exactly if the tables are. */
export function digest(tables: Tables): string {
  return Object.entries(tables)
    .map(([name, rows]) => {
      const lines = (rows as Row<object>).map((row) =>
        JSON.stringify(row, (key, value) => (PASSING.has(key) ? undefined : value)),
      );
      return `${name}\n${lines.sort().join('\n')}`;
    })
    .join('\n');
}
