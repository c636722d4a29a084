import { createHash } from 'node:crypto';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import {
  type ActionId,
  type ActionRow,
  actionIdFrom,
  countWaiting,
  findAction,
  findActionByKey,
  insertAction,
  lockActions,
  storeEnd,
} from '../../operator-actions/operator-actions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { explainUnknown, readAfterwards } from '../../service/unknown-outcome.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { type ActingOperator, holdActing } from '../operators/operators.ts';
import type { ActionInput } from './action-deed.ts';
import { transferIdOfAction } from './action-transfer.ts';
import { actorOf } from './actor.ts';
import { askOthers } from './ask-others.ts';
import { type ActionParams, canonicalParams, hashParams } from './canonical-params.ts';
import { needsApproval } from './four-eyes.ts';
import { type ActionKind, actionKindNamed } from './kinds.ts';

/** Far more than people look at within a day. */
const MOST_WAITING = 200;
export const LONGEST_REASON = 280;

/** What an operator asks for. */
export type ActionRequest = {
  /** A UUID made with the form. An action with this id that is known already is the same action again. */
  readonly id: string;
  readonly kind: string;
  readonly params: ActionInput;
  /** The operator's note, up to 280 characters. */
  readonly reason: string;
  /** On the command line: a repetition with the same key is the same action, for as many hours; null: for ever. */
  readonly key?: { readonly text: string; readonly hours: number | null } | undefined;
};

export type Performed = {
  readonly action: ActionRow;
  /** It was asked for before, and this is its result of then. */
  readonly replayed: boolean;
};

/** What is asked for, checked. */
type Asked = Pick<ActionRow, 'id' | 'params' | 'paramsHash' | 'reason' | 'askedBy'> & {
  readonly kind: ActionKind;
  readonly read: ActionParams;
  readonly key: { readonly hash: Buffer; readonly hours: number | null } | null;
};

/**
 * Does what an operator asks for, exactly once: the change, the action's row and the entry of the operator's log are one transaction. What
 * is paid through the chain is decided there and paid right afterwards; a repetition with the same id finishes it if this was interrupted.
 * Above the limit of four eyes nothing happens yet, and the action waits for another person.
 *
 * The action's state says how it ended: `done`, `waiting`, or `failed` with the problem in its result. A refusal by a change of the
 * database alone is thrown and leaves nothing.
 */
export async function performAction(
  service: Service,
  operator: ActingOperator,
  request: ActionRequest,
): Promise<Performed> {
  const kind = actionKindNamed(request.kind);
  const reading = await kind.read(service, request.params);
  const params = canonicalParams(reading);
  const asked: Asked = {
    id: checkedId(request.id),
    kind,
    read: reading,
    params,
    paramsHash: hashParams(kind.name, params),
    reason: checkedReason(request.reason),
    askedBy: actorOf(operator),
    key: request.key ? { hash: hashKey(kind.name, request.key.text), hours: request.key.hours } : null,
  };
  // A repetition must not be refused because of what the first call has changed.
  const known = await earlierAction(service.db, asked);
  if (!known) {
    if (request.key) await kind.refuseUsedKey?.(service, reading, request.key.text);
    await kind.preview(service, reading);
  }
  const advice = kind.advice?.(reading) ?? `Look whether \`quarters actions show ${asked.id}\` finds it.`;
  const performed = known
    ? { action: known, replayed: true }
    : await explainUnknown(
        service.db.transaction((tx) => decide(service, tx, operator, asked)),
        advice,
      );
  if (!performed.replayed && performed.action.state === 'done') kind.note?.(service, reading, performed.action);
  if (!performed.replayed && performed.action.state === 'waiting')
    service.security.note('action-waiting', { what: asked.id });
  // It is decided, so a database that is away now does not mean that nothing was done.
  const finished = readAfterwards(finishAction(service, performed.action));
  return { ...performed, action: await explainUnknown(finished, advice) };
}

async function decide(service: Service, tx: Tx, operator: ActingOperator, asked: Asked): Promise<Performed> {
  await lockActions(tx);
  const earlier = await earlierAction(tx, asked);
  if (earlier) return { action: earlier, replayed: true };
  await holdActing(tx, operator);
  const { id, kind, read, params, paramsHash, reason, askedBy, key } = asked;
  const amount = kind.amount?.(read, service.settings) ?? null;
  const subject = kind.subject(read);
  const row = {
    ...{ id, params, paramsHash, amount, reason, askedBy },
    ...{ kind: kind.name, subject: subjectText(subject), keyHash: key?.hash ?? null },
  };
  if (await needsApproval(service, tx, { kind, params: read, by: askedBy })) {
    if ((await countWaiting(tx)) >= MOST_WAITING) {
      throw new Problem('limit-reached', `${MOST_WAITING} actions wait for approval already.`);
    }
    await recordChange(tx, { action: 'action-proposed', subject, after: { action: id, kind: kind.name }, reason });
    const action = await insertAction(tx, { ...row, state: 'waiting', transferId: null, result: null });
    await askOthers(service, tx, action, kind.title);
    return { action, replayed: false };
  }
  const applied = await applyAction(service, tx, operator, { ...row, kind, read });
  return { action: await insertAction(tx, { ...row, ...applied }), replayed: false };
}

/** Makes the change. Returns what the action's row says from now on. */
export async function applyAction(
  service: Service,
  tx: Tx,
  operator: ActingOperator,
  { id, kind, read, reason, keyHash }: Pick<Asked, 'kind' | 'read'> & Pick<ActionRow, 'id' | 'reason' | 'keyHash'>,
): Promise<Pick<ActionRow, 'transferId' | 'result'> & { readonly state: 'started' | 'done' }> {
  if (kind.waits) refuseInTheDark(service);
  const result = await kind.apply(service, tx, read, { id, reason, byPerson: operator.kind === 'person' });
  const transferId = kind.pays ? await transferIdOfAction(service, { id, keyHash }) : null;
  return { state: kind.finish ? 'started' : 'done', transferId, result };
}

/**
 * Finishes an action that was decided and goes on after its transaction, as often as it is called, with one effect. Returns any other
 * action as it is. Throws `payments-suspended`, and leaves the action as it is.
 */
export async function finishAction(service: Service, action: ActionRow): Promise<ActionRow> {
  if (action.state !== 'started') return action;
  const kind = actionKindNamed(action.kind);
  if (kind.waits) refuseInTheDark(service);
  const params = JSON.parse(action.params) as ActionParams;
  const end = await kind.finish!(service, params, action);
  const ended = await storeEnd(service.db, action.id, end);
  if (ended?.state === 'done') kind.note?.(service, params, ended);
  return ended ?? (await findAction(service.db, action.id))!;
}

/** The action of an earlier call with this id or key. Throws `idempotency-mismatch` if that was another one. */
async function earlierAction(db: Pick<Tx, 'query'>, asked: Asked): Promise<ActionRow | null> {
  const { id, key, kind, read, paramsHash, askedBy } = asked;
  const isSame = (one: ActionRow) =>
    one.paramsHash === paramsHash ||
    (one.kind === kind.name && kind.asksSame?.(JSON.parse(one.params) as ActionParams, read) === true);
  const same = await findAction(db, id);
  if (same && (!isSame(same) || same.askedBy !== askedBy)) {
    throw new Problem('idempotency-mismatch', 'This form was sent before, with other contents. Open the page again.');
  }
  const earlier = same ?? (key && (await findActionByKey(db, key.hash, key.hours)));
  if (earlier && !isSame(earlier)) throw keyMismatch(kind);
  return earlier;
}

function keyMismatch({ name }: ActionKind): Problem {
  const whom = name === 'grant-reward' ? 'user' : 'recipient';
  return new Problem('idempotency-mismatch', `This key was used before, for another ${whom} or another amount.`);
}

function hashKey(kind: string, key: string): Buffer {
  return createHash('sha256').update(`${kind}\n${key}`).digest();
}

function checkedId(text: string): ActionId {
  const id = actionIdFrom(text);
  if (!id) throw invalidInput('/action', 'is not a UUID');
  return id;
}

function checkedReason(text: string): string {
  const reason = text.trim();
  if (reason === '') throw invalidInput('/reason', 'is missing');
  if (reason.length > LONGEST_REASON) throw invalidInput('/reason', `must have at most ${LONGEST_REASON} characters`);
  return reason;
}

/** As rows store it: `user:…`. */
function subjectText({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`;
}
