import type { Address } from '../../../base/address.ts';
import { type Hash, hexToBytes } from '../../../base/hex.ts';
import { hashColumn } from '../../../db/columns.ts';
import { byteaText, type Queries, type Tx } from '../../../db/database.ts';
import { type FinishedTree, type LeafProof, proveLeaf, saltOf } from './leaf-chunks.ts';
import type { LiabilityStatement } from './statement.ts';

export type Publication = LiabilityStatement & {
  readonly root: Hash;
  readonly publishedAt: Date;
  /** When a reorganisation removed the block. Such a publication says nothing any more. */
  readonly withdrawnAt: Date | null;
  /** Whether proofs of it can still be made. */
  readonly provable: boolean;
};

/** The publications whose leaves are kept. */
const PROVABLE = 8;
/** Chunks of one statement: about 4 MB. */
const CHUNKS_AT_ONCE = 400;

const COLUMNS = `${hashColumn('root')} AS root, chain_id::float8 AS "chainId", token, treasury, block_number AS block,
  ${hashColumn('block_hash')} AS "blockHash", supply, in_treasury AS "inTreasury", accounts::int AS accounts, overdrawn::int AS overdrawn,
  depth::int AS depth, ${hashColumn('tree')} AS tree, balances, rewards, published_at AS "publishedAt",
  withdrawn_at AS "withdrawnAt", salt IS NOT NULL AS provable`;

/** Locks publishing for all processes until the transaction ends. False if somebody is publishing. */
export async function lockPublishing({ query }: Tx): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtext('quarters.liabilities')) AS locked`,
  );
  return row?.locked ?? false;
}

/** Stores a publication with its leaves. Throws a unique violation if its block has one that was not withdrawn. */
export async function insertPublication(
  { query }: Tx,
  said: LiabilityStatement & Pick<Publication, 'root'>,
  secret: Buffer,
  { chunks, chunkNodes }: Pick<FinishedTree, 'chunks' | 'chunkNodes'>,
): Promise<void> {
  const root = hexToBytes(said.root);
  await query(
    `INSERT INTO liability_publications (root, chain_id, token, treasury, block_number, block_hash, supply, in_treasury, accounts,
       overdrawn, depth, tree, balances, rewards, salt, chunk_nodes)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      ...[root, said.chainId, said.token, said.treasury, said.block, hexToBytes(said.blockHash), said.supply],
      ...[
        said.inTreasury,
        said.accounts,
        said.overdrawn,
        said.depth,
        hexToBytes(said.tree),
        said.balances,
        said.rewards,
      ],
      ...[secret, chunkNodes],
    ],
  );
  for (let from = 0; from < chunks.length; from += CHUNKS_AT_ONCE) {
    const some = chunks.slice(from, from + CHUNKS_AT_ONCE);
    await query(
      `INSERT INTO liability_leaves (root, first_salted, chunk, leaves)
       SELECT $1, first_salted, $2::int + place - 1, leaves
         FROM unnest($3::bytea[], $4::bytea[]) WITH ORDINALITY AS chunk (first_salted, leaves, place)`,
      [root, from, some.map(({ firstSalted }) => byteaText(firstSalted)), some.map(({ leaves }) => byteaText(leaves))],
    );
  }
}

/** Forgets the leaves of all publications but the newest {@link PROVABLE}. Their roots stay for ever. */
export async function forgetOldLeaves({ query }: Tx): Promise<void> {
  await query(
    `WITH old AS (
       UPDATE liability_publications SET salt = NULL, chunk_nodes = NULL
        WHERE salt IS NOT NULL
          AND root NOT IN (SELECT root FROM liability_publications ORDER BY published_at DESC LIMIT $1)
       RETURNING root)
     DELETE FROM liability_leaves USING old WHERE liability_leaves.root = old.root`,
    [PROVABLE],
  );
}

/** Marks the publications of blocks above this one, which a reorganisation has removed. Call it after the blocks are removed. */
export async function withdrawPublicationsAbove({ query }: Tx, block: bigint): Promise<bigint[]> {
  const rows = await query<{ block: bigint }>(
    `UPDATE liability_publications SET withdrawn_at = now() WHERE block_number > $1 AND withdrawn_at IS NULL
     RETURNING block_number AS block`,
    [block],
  );
  return rows.map(({ block }) => block);
}

/** The newest publications first, at most `most`. */
export async function listPublications({ query }: Queries, most: number): Promise<Publication[]> {
  return query<Publication>(
    `SELECT ${COLUMNS} FROM liability_publications ORDER BY block_number DESC, published_at DESC LIMIT $1`,
    [most],
  );
}

/** The publication of a block: the valid one, or else the last that was withdrawn. */
export async function findPublication({ query }: Queries, block: bigint): Promise<Publication | null> {
  const [row] = await query<Publication>(
    `SELECT ${COLUMNS} FROM liability_publications WHERE block_number = $1
      ORDER BY withdrawn_at DESC NULLS FIRST LIMIT 1`,
    [block],
  );
  return row ?? null;
}

/** The newest publication that is valid and can be proven. */
export async function newestProvable({ query }: Queries): Promise<Publication | null> {
  const [row] = await query<Publication>(
    `SELECT ${COLUMNS} FROM liability_publications WHERE withdrawn_at IS NULL AND salt IS NOT NULL
      ORDER BY block_number DESC LIMIT 1`,
  );
  return row ?? null;
}

/** What an account's proof is made of. Null if the account is not in the publication, or its leaves are forgotten. */
export async function readProof({ query }: Queries, root: Hash, address: Address): Promise<LeafProof | null> {
  const [tree] = await query<{ secret: Buffer; depth: number; chunkNodes: Buffer }>(
    `SELECT salt AS secret, depth::int AS depth, chunk_nodes AS "chunkNodes" FROM liability_publications
      WHERE root = $1 AND salt IS NOT NULL`,
    [hexToBytes(root)],
  );
  if (!tree) return null;
  const [chunk] = await query<{ chunk: number; leaves: Buffer }>(
    `SELECT chunk, leaves FROM liability_leaves WHERE root = $1 AND first_salted <= $2 ORDER BY first_salted DESC LIMIT 1`,
    [hexToBytes(root), saltOf(tree.secret, address)],
  );
  return chunk ? proveLeaf(tree, chunk, address) : null;
}
