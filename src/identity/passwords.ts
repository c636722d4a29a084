import { argon2, createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Query, Tx } from '../db/database.ts';

type Queries = { readonly query: Query };

/** argon2id at the first of the choices of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. About 40 ms. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

type Cost = typeof COST;
type Stored = Cost & { readonly salt: Buffer; readonly tag: Buffer };

/**
 * A password as it is stored: argon2id (RFC 9106) as a PHC string. `by`: the place it comes from. Throws `overloaded` where too many
 * wait already, `too-many-tries` where too many of that place do.
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

/** No password has it: what is compared where there is none, so that it takes as long. */
const NOBODYS: Stored = { ...COST, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };

/**
 * Whether this is the user's password. Null, or a user without one: the same work, and false. `by`, and what it throws: as for
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

/** What is stored of a user's password; null where they have none, or nobody is asked about. */
export async function passwordHash({ query }: Queries, userId: UserId | null): Promise<string | null> {
  const [row] = await query<{ hash: string }>('SELECT hash FROM passwords WHERE user_id = $1', [userId]);
  return row?.hash ?? null;
}

/** Whether the user's password was set within the last minute. */
export async function wasJustSet({ query }: Queries, userId: UserId): Promise<boolean> {
  const text = `SELECT FROM passwords WHERE user_id = $1 AND changed_at > now() - interval '1 minute'`;
  return (await query(text, [userId])).length === 1;
}

/** Whether this is stored still; if so, it stays until the transaction ends. */
export async function isStillPassword({ query }: Tx, userId: UserId, hash: string): Promise<boolean> {
  return (await query('SELECT FROM passwords WHERE user_id = $1 AND hash = $2 FOR SHARE', [userId, hash])).length === 1;
}

/** Names a stored password without telling it; null: there is none. */
export type PasswordMark = string | null;

export async function markPassword(db: Queries, userId: UserId): Promise<PasswordMark> {
  const hash = await passwordHash(db, userId);
  return hash && createHash('sha256').update(hash).digest('hex');
}

/**
 * Puts a password into the place of the one that was seen (null: none). False where another has come there since, or the account
 * was closed; both wait for this transaction to end from here on.
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

/** Each run takes 19 MiB and a thread of four that files and names are looked up with too: two at once, the rest waits. */
const AT_ONCE = 2;
const MOST_WAITING = 200;
/** Of one place: nobody alone keeps all others from signing in. */
const MOST_WAITING_OF_ONE = 20;
let running = 0;
const waiting: { readonly by: string; readonly go: () => void }[] = [];

async function derive(text: string, salt: Buffer, cost: Cost, by = ''): Promise<Buffer> {
  if (waiting.filter((one) => one.by === by).length >= MOST_WAITING_OF_ONE) {
    throw new Problem('too-many-tries', 'Please wait a moment and try again.');
  }
  if (waiting.length >= MOST_WAITING) throw new Problem('overloaded', 'Too many people are signing in right now.');
  // Handed on, not given back and taken: whoever waits longest is next.
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
