import { argon2, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Queries, Tx } from '../db/database.ts';

/** argon2id with 19 MiB and two passes, as OWASP's Password Storage Cheat Sheet recommends. About 40 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

type Cost = typeof COST;
type Stored = Cost & { readonly salt: Buffer; readonly tag: Buffer };

/**
 * Hashes a password for storage: argon2id (RFC 9106) as a PHC string. `by`: the network it comes from. Throws `overloaded` if too many are
 * waiting, `too-many-tries` if too many from that network are.
 */
export async function hashPassword(text: string, by?: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return phcString({ ...COST, salt, tag: await derive(text, salt, COST, by) });
}

export async function storePassword({ query }: Queries, userId: UserId, hash: string): Promise<void> {
  await query(
    `INSERT INTO passwords (user_id, hash) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()`,
    [userId, hash],
  );
}

/** The hash of no password. It is compared for users without one, so that the answer takes as long. */
const NOBODYS: Stored = { ...COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

/**
 * Whether this is the user's password. False for null and for users without one, after the same work. `by` and the exceptions: as with
 * {@link hashPassword}.
 */
export async function passwordMatches(
  { query }: Queries,
  userId: UserId | null,
  text: string,
  by?: string,
): Promise<boolean> {
  const hash = await passwordHash({ query }, userId);
  const { salt, tag, ...cost } = hash === null ? NOBODYS : parsePhc(hash);
  return timingSafeEqual(await derive(text, salt, cost, by), tag);
}

/** The stored hash of a user's password; null if there is no user, or they have none. */
export async function passwordHash({ query }: Queries, userId: UserId | null): Promise<string | null> {
  const [row] = await query<{ hash: string }>('SELECT hash FROM passwords WHERE user_id = $1', [userId]);
  return row?.hash ?? null;
}

/** Whether the user's password was set within the last minute. */
export async function wasJustSet({ query }: Queries, userId: UserId): Promise<boolean> {
  const text = `SELECT FROM passwords WHERE user_id = $1 AND changed_at > now() - interval '1 minute'`;
  return (await query(text, [userId])).length === 1;
}

/** Whether this hash is still the stored one. If so, it stays until the transaction ends. */
export async function isStillPassword({ query }: Tx, userId: UserId, hash: string): Promise<boolean> {
  return (await query('SELECT FROM passwords WHERE user_id = $1 AND hash = $2 FOR SHARE', [userId, hash])).length === 1;
}

/** Identifies a stored password without revealing it; null if there is none. */
export type PasswordMark = string | null;

export async function markPassword(db: Queries, userId: UserId): Promise<PasswordMark> {
  const hash = await passwordHash(db, userId);
  return hash && createHash('sha256').update(hash).digest('hex');
}

/**
 * Replaces the password with the mark `seen` (null: none). False if it was replaced since, or the account was closed. Until the transaction
 * ends, other calls that would do either wait.
 */
export async function replacePassword(
  { query }: Tx,
  userId: UserId,
  seen: PasswordMark,
  hash: string,
  email: string,
): Promise<boolean> {
  const rows = await query(
    `INSERT INTO passwords (user_id, hash)
     SELECT id, $2 FROM users WHERE id = $1 AND kind = 'full' AND email = $4 FOR SHARE
     ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()
       WHERE encode(sha256(convert_to(passwords.hash, 'UTF8')), 'hex') = $3
     RETURNING 1`,
    [userId, hash, seen, email],
  );
  return rows.length === 1;
}

function phcString({ memory, passes, parallelism, salt, tag }: Stored): string {
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function parsePhc(phc: string): Stored {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc);
  if (!parts) throw new Error('A stored password is not argon2id in PHC form.');
  const [, memory, passes, parallelism, salt, tag] = parts;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt!, 'base64'),
    tag: Buffer.from(tag!, 'base64'),
  };
}

/**
 * Each run takes 19 MiB and one of the four threads that also read files and resolve names. So two run at once, and one where two would leave
 * no processor to payments. The others wait.
 */
const AT_ONCE = availableParallelism() > 2 ? 2 : 1;
const MOST_WAITING = 200;
/** From one network, so that it cannot keep all others from signing in. */
const MOST_WAITING_OF_ONE = 20;
let running = 0;
const waiting: { readonly by: string; readonly go: () => void }[] = [];

async function derive(text: string, salt: Buffer, cost: Cost, by = ''): Promise<Buffer> {
  if (waiting.filter((one) => one.by === by).length >= MOST_WAITING_OF_ONE) {
    throw new Problem('too-many-tries', 'Too many passwords from this network are being checked.', [], {
      code: 'wait',
    });
  }
  if (waiting.length >= MOST_WAITING) throw new Problem('overloaded', 'Too many people are signing in right now.');
  // The slot passes to the one that has waited longest, and is not free in between.
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push({ by, go }));
  else running++;
  try {
    return await argon2id(text, salt, cost);
  } finally {
    const next = waiting.shift();
    if (next) next.go();
    else running--;
  }
}

function argon2id(text: string, nonce: Buffer, cost: Cost): Promise<Buffer> {
  // The same characters may arrive in several encodings, depending on the keyboard (NIST SP 800-63B, section 3.1.1.2).
  const parameters = { message: text.normalize('NFKC'), nonce, tagLength: TAG_BYTES, ...cost };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => (error ? reject(error) : resolve(tag)));
  });
}
