import type { Database } from './database.ts';

/** Rows that are kept for a limited time. The table of docs/operate/kept.md is made from these. */
export type KeptRows = {
  readonly table: string;
  /** What a row is. */
  readonly what: string;
  /** How long it is kept. */
  readonly kept: string;
  /** What it is kept for. */
  readonly why: string;
  /** Deletes older rows, at most `most`, without those that another transaction has locked. Returns how many. */
  readonly forget: (db: Pick<Database, 'query' | 'transaction'>, most: number) => Promise<number>;
};

type Rule = {
  /** The whole clause, so that scripts/table-owners.ts finds the table where its owner names it. */
  readonly from: `FROM${string}`;
  /** The columns of the primary key. */
  readonly key: string;
  /** The column with the time when a row expires, or from which its age counts. */
  readonly since: string;
  /** The columns of the index that finds old rows, if `since` is not indexed. */
  readonly order?: string;
  readonly age?: `${number} ${'hour' | 'hours' | 'days'}`;
  /** Only rows that meet this condition are deleted. */
  readonly only?: string;
};

/** Keeps the rows of a table until the time in a column, or until they reach an age. With an age, `kept` says from when it counts. */
export function keepUntil(
  { from, key, since, order = since, age, only = 'true' }: Rule,
  { kept, ...words }: Pick<KeptRows, 'what' | 'kept' | 'why'>,
): KeptRows {
  const forgetting = `DELETE ${from} WHERE (${key}) IN (
     SELECT ${key} ${from} WHERE ${only} AND ${since} <= now() - interval '${age ?? '0 hours'}'
      ORDER BY ${order} LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING 1`;
  return {
    ...words,
    table: from.slice('FROM '.length),
    kept: age ? `${age} ${kept}` : kept,
    forget: async ({ query }, most) => (await query(forgetting, [most])).length,
  };
}

/** Forgets by several rules, in turn: a later one waits while an earlier one has more to do. At most `most` rows. Returns how many. */
export async function forgetRows(db: Database, rules: readonly KeptRows[], most: number): Promise<number> {
  let forgotten = 0;
  for (const { forget } of rules) {
    if (forgotten < most) forgotten += await forget(db, most - forgotten);
  }
  return forgotten;
}
