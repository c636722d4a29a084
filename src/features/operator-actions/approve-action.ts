import { userIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import {
  type ActionActor,
  type ActionId,
  type ActionRow,
  actionIdFrom,
  findAction,
  lockActions,
  storeDecision,
} from '../../operator-actions/operator-actions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { explainUnknown } from '../../service/unknown-outcome.ts';
import { type ActingOperator, holdActing, holdActiveOperator } from '../operators/operators.ts';
import { actorOf } from './actor.ts';
import type { ActionParams } from './canonical-params.ts';
import { actionKindNamed } from './kinds.ts';
import { applyAction, finishAction, type Performed } from './perform-action.ts';

/** `hash`: of the parameters that the second person saw. */
type Approval = { readonly id: string; readonly hash: string };

/**
 * Another person approves a waiting action, which is done now. Of two approvals at once one decides, and the same person's second call
 * returns the first one's result.
 *
 * If the change is refused, the action goes on waiting.
 */
export async function approveAction(
  service: Service,
  operator: ActingOperator,
  { id, hash }: Approval,
): Promise<Performed> {
  const decided = await explainUnknown(
    service.db.transaction((tx) => approveIn(service, tx, operator, id, hash)),
    `Look at \`quarters actions show ${id}\`, and approve it again if it still waits.`,
  );
  const { action, replayed } = decided;
  if (!replayed) {
    service.security.note('action-approved', { what: action.id });
    if (action.state === 'done') actionKindNamed(action.kind).note?.(service, JSON.parse(action.params), action);
  }
  return { action: await finishAction(service, action), replayed };
}

async function approveIn(
  service: Service,
  tx: Tx,
  operator: ActingOperator,
  named: string,
  hash: string,
): Promise<Performed> {
  await lockActions(tx);
  const action = await knownAction(tx, named);
  const { id } = action;
  const approver = actorOf(operator);
  await holdActing(tx, operator);
  if (action.decidedBy === approver && action.state !== 'refused') return { action, replayed: true };
  refuseUnlessWaiting(action);
  if (action.askedBy === approver) {
    throw new Problem('role-not-allowed', 'You asked for this yourself. Another operator must approve it.');
  }
  await refuseWithoutRole(tx, action.askedBy);
  if (action.paramsHash !== hash) {
    throw new Problem('idempotency-mismatch', 'This approval is for other parameters. Look at the action again.');
  }
  const kind = actionKindNamed(action.kind);
  const read = JSON.parse(action.params) as ActionParams;
  await recordChange(tx, { action: 'action-approved', subject: kind.subject(read), after: { action: id, hash } });
  const applied = await applyAction(service, tx, operator, { ...action, kind, read });
  return { action: await decideNow(tx, id, { ...applied, decidedBy: approver }), replayed: false };
}

/** Decides against a waiting action. Whoever asked for it may do so too, to withdraw it. */
export async function refuseAction(
  service: Pick<Service, 'db' | 'security'>,
  operator: ActingOperator,
  id: string,
): Promise<ActionRow> {
  const action = await service.db.transaction(async (tx) => {
    await lockActions(tx);
    const waiting = await knownAction(tx, id);
    await holdActing(tx, operator);
    const refuser = actorOf(operator);
    if (waiting.state === 'refused' && waiting.decidedBy === refuser) return waiting;
    refuseUnlessWaiting(waiting);
    const subject = actionKindNamed(waiting.kind).subject(JSON.parse(waiting.params));
    await recordChange(tx, { action: 'action-rejected', subject, after: { action: waiting.id } });
    return decideNow(tx, waiting.id, { state: 'refused', decidedBy: refuser, result: null, transferId: null });
  });
  service.security.note('action-refused', { what: action.id });
  return action;
}

async function knownAction(tx: Tx, named: string): Promise<ActionRow> {
  const id = actionIdFrom(named);
  const action = id && (await findAction(tx, id));
  if (!action) throw new Problem('not-found', 'There is no such action.');
  return action;
}

function refuseUnlessWaiting({ state }: ActionRow): void {
  if (state !== 'waiting') throw new Problem('request-decided', `The action is ${state}.`);
}

/** Somebody who has lost the role in the meantime, or was frozen, has nothing done for them any more. */
async function refuseWithoutRole(tx: Tx, askedBy: ActionActor): Promise<void> {
  if (!askedBy.startsWith('user:')) return;
  const userId = userIdFrom(askedBy.slice('user:'.length));
  if (userId && (await holdActiveOperator(tx, userId))) return;
  throw new Problem('role-not-allowed', 'Whoever asked for this is not an operator any more.');
}

/** The actions are locked, so nobody else has decided it; it may have expired since it was read. */
async function decideNow(tx: Tx, id: ActionId, decision: Parameters<typeof storeDecision>[2]): Promise<ActionRow> {
  const decided = await storeDecision(tx, id, decision);
  if (!decided) throw new Problem('request-decided', 'The action is expired.');
  return decided;
}

/**
 * Finishes an action that was decided and interrupted before its payment: it is paid once, or fails if the payment is refused. Any other
 * action stays as it is.
 */
export async function retryAction(service: Service, operator: ActingOperator, id: string): Promise<ActionRow> {
  const action = await service.db.transaction(async (tx) => {
    await holdActing(tx, operator);
    return knownAction(tx, id);
  });
  return finishAction(service, action);
}
