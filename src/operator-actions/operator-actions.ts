import type { TransferId } from '../base/ids.ts';
import { uuidFrom } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries, Tx } from '../db/database.ts';
import { keepUntil } from '../db/keep-until.ts';

/** A UUID, made with the action's form. */
export type ActionId = string & { readonly __kind: 'action' };

/** Null: the text can be no such id. */
export const actionIdFrom = (text: string) => uuidFrom(text) as ActionId | null;

/** Who asked for an action or decided it: a user's id, or the operating system's user of a command. */
export type ActionActor = `user:${string}` | `shell:${string}`;

/**
 * - `waiting`: another person must approve it; nothing has happened yet.
 * - `started`: it is decided, and its payment may or may not be made yet. A repetition finishes it.
 * - `done`, `failed`: over. A failed action has changed nothing.
 * - `refused`: somebody decided against it. `expired`: nobody approved it in time.
 */
export const ACTION_STATES = ['waiting', 'started', 'done', 'failed', 'refused', 'expired'] as const;

export type ActionState = (typeof ACTION_STATES)[number];

export type ActionRow = {
  readonly id: ActionId;
  readonly kind: string;
  /** Canonical JSON: what was asked for, and nothing else. */
  readonly params: string;
  /** SHA-256 of the kind and the parameters, in hex. */
  readonly paramsHash: string;
  /** What it concerns, such as `user:…` or `app:…`. */
  readonly subject: string | null;
  readonly amount: Quarters | null;
  readonly reason: string;
  readonly state: ActionState;
  readonly askedBy: ActionActor;
  readonly askedAt: Date;
  readonly expiresAt: Date | null;
  readonly decidedBy: ActionActor | null;
  readonly decidedAt: Date | null;
  readonly transferId: TransferId | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  /** SHA-256 of the kind and the key that an operator gave. */
  readonly keyHash: Buffer | null;
};

/** Hours in which a waiting action can be approved. */
const ACTION_WAITS_HOURS = 24;

const STATE_NOW = `CASE WHEN state = 'waiting' AND expires_at <= now() THEN 'expired' ELSE state END`;

export const ACTION_COLUMNS = `id, kind, params, encode(params_hash, 'hex') AS "paramsHash", subject, amount, reason, ${STATE_NOW} AS state,
  asked_by AS "askedBy", asked_at AS "askedAt", expires_at AS "expiresAt", decided_by AS "decidedBy", decided_at AS "decidedAt",
  transfer_id AS "transferId", result, key_hash AS "keyHash"`;

/**
 * Lets one operator's action be decided after the other, in all processes. So two approvals of one action, or two amounts that
 * together pass the limit, find each other. The first lock in its transaction.
 */
export async function lockActions({ query }: Tx): Promise<void> {
  await query(`SELECT pg_advisory_xact_lock(hashtext('quarters.operator-actions'))`);
}

export async function findAction({ query }: Queries, id: ActionId): Promise<ActionRow | null> {
  const [row] = await query<ActionRow>(`SELECT ${ACTION_COLUMNS} FROM operator_actions WHERE id = $1`, [id]);
  return row ?? null;
}

/** The newest action with this key that has not failed, been refused or expired. `hours`: how long a key is remembered; null for ever. */
export async function findActionByKey(
  { query }: Queries,
  keyHash: Uint8Array,
  hours: number | null,
): Promise<ActionRow | null> {
  const [row] = await query<ActionRow>(
    `SELECT ${ACTION_COLUMNS} FROM operator_actions
      WHERE key_hash = $1 AND state IN ('waiting', 'started', 'done') AND (state <> 'waiting' OR expires_at > now())
        AND ($2::integer IS NULL OR asked_at > now() - make_interval(hours => $2))
      ORDER BY asked_at DESC LIMIT 1`,
    [keyHash, hours],
  );
  return row ?? null;
}

export type NewAction = Pick<
  ActionRow,
  | 'id'
  | 'kind'
  | 'params'
  | 'paramsHash'
  | 'subject'
  | 'amount'
  | 'reason'
  | 'askedBy'
  | 'transferId'
  | 'result'
  | 'keyHash'
> & { readonly state: 'waiting' | 'started' | 'done' };

/** Stores an action that is decided now, or waits for another person. Its id must be new. */
export async function insertAction({ query }: Tx, action: NewAction): Promise<ActionRow> {
  const [row] = await query<ActionRow>(
    `INSERT INTO operator_actions (id, kind, params, params_hash, subject, amount, reason, asked_by, transfer_id, result, state, key_hash,
                                   expires_at)
     VALUES ($1, $2, $3, decode($4, 'hex'), $5, $6, $7, $8, $9, $10, $11, $12,
             CASE WHEN $11 = 'waiting' THEN now() + make_interval(hours => $13) END)
     RETURNING ${ACTION_COLUMNS}`,
    [
      action.id,
      action.kind,
      action.params,
      action.paramsHash,
      action.subject,
      action.amount,
      action.reason,
      action.askedBy,
      action.transferId,
      action.result && JSON.stringify(action.result),
      action.state,
      action.keyHash,
      ACTION_WAITS_HOURS,
    ],
  );
  return row!;
}

/** What another person decides about a waiting action. */
export type ActionDecision = Pick<ActionRow, 'result' | 'transferId'> & {
  readonly decidedBy: ActionActor;
  readonly state: 'started' | 'done' | 'refused';
};

/** Decides an action that waits and has not expired; null for any other. The actions must be locked. */
export async function storeDecision(
  { query }: Tx,
  id: ActionId,
  { decidedBy, state, result, transferId }: ActionDecision,
): Promise<ActionRow | null> {
  const [row] = await query<ActionRow>(
    `UPDATE operator_actions SET state = $2, decided_by = $3, decided_at = now(), result = $4, transfer_id = $5
      WHERE id = $1 AND state = 'waiting' AND expires_at > now() RETURNING ${ACTION_COLUMNS}`,
    [id, state, decidedBy, result && JSON.stringify(result), transferId],
  );
  return row ?? null;
}

/** Ends an action that has been started. Null if it had ended before. */
export async function storeEnd(
  { query }: Queries,
  id: ActionId,
  { state, result }: { readonly state: 'done' | 'failed'; readonly result: object },
): Promise<ActionRow | null> {
  const [row] = await query<ActionRow>(
    `UPDATE operator_actions SET state = $2, result = $3 WHERE id = $1 AND state = 'started' RETURNING ${ACTION_COLUMNS}`,
    [id, state, JSON.stringify(result)],
  );
  return row ?? null;
}

/** What somebody has moved with these kinds in the last 24 hours without another person's approval. */
export async function sumUnapproved(
  { query }: Queries,
  askedBy: ActionActor,
  kinds: readonly string[],
): Promise<bigint> {
  const [row] = await query<{ sum: bigint }>(
    `SELECT coalesce(sum(amount), 0)::bigint AS sum FROM operator_actions
      WHERE asked_by = $1 AND amount IS NOT NULL AND asked_at > now() - interval '24 hours'
        AND kind = ANY($2) AND decided_by IS NULL AND state IN ('started', 'done')`,
    [askedBy, kinds],
  );
  return row!.sum;
}

/** How many actions wait now. */
export async function countWaiting({ query }: Queries): Promise<number> {
  const [row] = await query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM operator_actions
      WHERE state IN ('waiting', 'started') AND state = 'waiting' AND expires_at > now()`,
  );
  return row!.count;
}

/** What actions of a kind concern, such as `transfer:…`. Only for kinds that are rare. */
export async function subjectsOfKind({ query }: Queries, kind: string): Promise<string[]> {
  const rows = await query<{ subject: string }>(
    `SELECT DISTINCT subject FROM operator_actions WHERE kind = $1 AND subject IS NOT NULL`,
    [kind],
  );
  return rows.map(({ subject }) => subject);
}

/** Deletes the operators' notes about what belongs to a user who leaves, such as `user:…` or `report:…`. The actions stay. */
export async function eraseReasonsAbout({ query }: Tx, subjects: readonly string[]): Promise<void> {
  await query(`UPDATE operator_actions SET reason = 'Deleted with the account.' WHERE subject = ANY($1)`, [subjects]);
}

/** Far longer than an action of an operator matters; the operator's log keeps it. */
export const KEPT_ACTIONS = keepUntil(
  { from: 'FROM operator_actions', key: 'id', since: 'asked_at', only: "state <> 'started'", age: '400 days' },
  { what: 'an action of an operator', kept: 'after it was asked for', why: 'the page Actions, and who approved it' },
);
