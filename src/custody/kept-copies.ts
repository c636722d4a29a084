import type { Queries } from '../db/database.ts';

/** What operators keep outside of the installation: the recovery kit, and a backup of the database. */
export const KEPT_COPIES = ['kit', 'backup'] as const;
export type KeptCopy = (typeof KEPT_COPIES)[number];

/** Stores that an operator says they have a copy. Nobody can see it from here. */
export async function storeKept({ query }: Queries, copy: KeptCopy): Promise<void> {
  await query(
    'INSERT INTO kept_copies (copy, said_at) VALUES ($1, now()) ON CONFLICT (copy) DO UPDATE SET said_at = excluded.said_at',
    [copy],
  );
}

/** When it was said last of each copy, and whether that was since this master key wraps the seed: earlier copies need an earlier key. */
export async function readKept({ query }: Queries): Promise<Readonly<Record<KeptCopy, Kept>>> {
  const rows = await query<Kept & { copy: KeptCopy }>(
    `SELECT copy, said_at AS "saidAt", said_at >= (SELECT wrapped_at FROM seed) AS "isCurrent" FROM kept_copies`,
  );
  const of = (wanted: KeptCopy) => rows.find(({ copy }) => copy === wanted) ?? { saidAt: null, isCurrent: false };
  return { kit: of('kit'), backup: of('backup') };
}

export type Kept = { readonly saidAt: Date | null; readonly isCurrent: boolean };
