import { createHash, randomBytes } from 'node:crypto';
import type { AppId, UserId } from '../base/ids.ts';
import { currentContext } from '../base/log.ts';
import type { Tx } from '../db/database.ts';
import {
  canonicalJson,
  type EntryJson,
  FACT_LIMITS,
  type FactLimits,
  type LoggedFacts,
  storedFact,
  usersIn,
} from './facts.ts';
import type { LoggedAction } from './logged-actions.ts';
import { nameAll } from './names.ts';

/** The version of the encoding of entries, and of how they are hashed. */
const ENCODING = 1;

/** What a change is about. A key, an endpoint and a member are part of their app, and `after` names them. */
export type LogSubject =
  | { readonly kind: 'user'; readonly id: UserId }
  | { readonly kind: 'app'; readonly id: AppId }
  | {
      readonly kind: 'transfer' | 'payment' | 'reward' | 'report' | 'action' | 'liabilities' | 'service' | 'log';
      readonly id: string;
    };

export type Change = {
  readonly action: LoggedAction;
  readonly subject: LogSubject;
  /** What was so before, where that says more than the action. */
  readonly before?: LoggedFacts;
  readonly after?: LoggedFacts;
  /** The operator's note, up to 1000 characters. It is stored beside the log, and deleted when the account it speaks of is closed. */
  readonly reason?: string | undefined;
  /** The user whom `reason` speaks of, if the subject is not a user. */
  readonly about?: UserId | undefined;
  /** Who made the change, if the call is not from them yet: somebody who signs up, or sets a password with a mailed code. */
  readonly by?: UserId;
};

/** A change, with who made it and from where. */
export type AttributedChange = Change & { readonly at: Date; readonly context: ReturnType<typeof currentContext> };

const LONGEST_REASON = 1_000;
/** The database refuses more. */
const MAX_ENTRY_BYTES = 16_384;

/** Adds who makes the change and from where, as the current call knows it. For work that runs outside of its call. */
export function attributeChange(change: Change): AttributedChange {
  const context = currentContext();
  return { ...change, at: new Date(), context: context && { ...context } };
}

/**
 * Records a change in the operator's log, in the transaction that makes it. Who made it and from where comes from the current call; outside of one it
 * was the service itself.
 *
 * It takes no lock and waits for nobody. So it may stand anywhere in a transaction.
 */
export function recordChange(tx: Tx, change: Change): Promise<void> {
  return recordChanges(tx, [attributeChange(change)]);
}

/** Records changes of one transaction, in their order. */
export async function recordChanges(tx: Tx, changes: readonly AttributedChange[]): Promise<void> {
  if (changes.length === 0) return;
  const reasons = changes.map(reasonOf);
  const nameOf = await nameAll(tx, changes.flatMap(namedIn));
  const entries = changes.map((change, i) => {
    const name = (userId: UserId) => nameOf({ userId, client: '' });
    return fitting((most) => canonicalJson(entryOf(change, reasons[i] ?? null, name, nameOf, most)));
  });
  const kept = reasons.filter((reason) => reason !== null);
  if (kept.length > 0) {
    await tx.query(
      `INSERT INTO operator_log_reasons (hash, salt, reason, user_id)
       SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[])`,
      [
        kept.map(({ hash }) => hash),
        kept.map(({ salt }) => salt),
        kept.map(({ text }) => text),
        kept.map(({ about }) => about),
      ],
    );
  }
  await tx.query(
    `INSERT INTO operator_log (entry)
     SELECT entry::json FROM unnest($1::text[]) WITH ORDINALITY AS each (entry, place) ORDER BY place`,
    [entries],
  );
  tx.announce('log');
}

type Reason = { readonly hash: Buffer; readonly salt: Buffer; readonly text: string; readonly about: UserId | '' };

/** The note of a change. The salt keeps its hash from being guessed once the note is deleted. */
function reasonOf({ reason, subject, about }: Change): Reason | null {
  const text = reason?.trim().slice(0, LONGEST_REASON);
  if (!text) return null;
  const salt = randomBytes(16);
  return { hash: hashReason(salt, text), salt, text, about: about ?? (subject.kind === 'user' ? subject.id : '') };
}

/** SHA-256 of the salt, followed by the note in UTF-8. */
export function hashReason(salt: Uint8Array, text: string): Buffer {
  return createHash('sha256').update(salt).update(text).digest();
}

/** The user who made a change; undefined: the operator at a shell, an app's server, or the service. */
function actingUser({ by, context }: AttributedChange): UserId | undefined {
  return by ?? context?.userId;
}

/** Whose the address is that a call came from. It is forgotten with their account. */
function addressOwner(change: AttributedChange): UserId | '' {
  return actingUser(change) ?? '';
}

function namedIn(change: AttributedChange) {
  const { subject, before, after, context } = change;
  const users = [...usersIn(before), ...usersIn(after)];
  const actor = actingUser(change);
  if (actor) users.push(actor);
  if (subject.kind === 'user') users.push(subject.id);
  return [
    ...users.map((userId) => ({ userId, client: '' })),
    ...(context?.client ? [{ userId: addressOwner(change), client: context.client }] : []),
  ];
}

/** The entry with as much of its facts as fits. */
function fitting(entry: (most: FactLimits) => string): string {
  const [first, ...shorter] = FACT_LIMITS;
  return shorter.reduce((text, most) => (Buffer.byteLength(text) > MAX_ENTRY_BYTES ? entry(most) : text), entry(first));
}

function entryOf(
  change: AttributedChange,
  reason: Reason | null,
  nameOf: (userId: UserId) => string,
  nameOfAddress: Awaited<ReturnType<typeof nameAll>>,
  most: FactLimits,
): EntryJson {
  const { action, subject, before, after, at, context } = change;
  const from = {
    ...(context?.client && { client: nameOfAddress({ userId: addressOwner(change), client: context.client }) }),
    ...(context?.command && { command: context.command }),
    ...(context?.requestId && { request: context.requestId }),
  };
  return {
    v: ENCODING,
    at: at.toISOString(),
    action,
    actor: actorOf(change, nameOf),
    subject: { kind: subject.kind, id: subject.kind === 'user' ? nameOf(subject.id) : subject.id },
    ...(Object.keys(from).length > 0 && { from }),
    ...(before && { before: storedFact(before, nameOf, most) }),
    ...(after && { after: storedFact(after, nameOf, most) }),
    ...(reason && { reason: reason.hash.toString('hex') }),
  };
}

/** `app`: through which a user acted, or whose server did. `as`: in which role. */
function actorOf(change: AttributedChange, nameOf: (userId: UserId) => string): EntryJson {
  const { context } = change;
  const role = context?.actor ? { as: context.actor } : {};
  const user = actingUser(change);
  if (user) return { kind: 'user', id: nameOf(user), ...(context?.appId && { app: context.appId }), ...role };
  if (context?.osUser) return { kind: 'shell', id: context.osUser, ...role };
  if (context?.appId) return { kind: 'app', id: context.appId, ...(context.keyId && { key: context.keyId }) };
  return { kind: 'service', id: 'service' };
}
