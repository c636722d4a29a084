import type { UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Lookups, Tx } from '../../db/database.ts';
import {
  deleteOperator,
  holdOperator,
  insertOperator,
  isOperator,
  listOperatorRows,
  type OperatorRow,
} from '../../identity/operators.ts';
import { listPasskeys, type Passkey } from '../../identity/passkeys.ts';
import { lockUsers } from '../../identity/users.ts';
import { lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { isUserFrozen } from '../../ledger/frozen-accounts.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';

/**
 * Who acts as the operator: a person, signed in at /operator with a passkey, or somebody with a shell on the machine of the service.
 * The name of a shell's user proves nothing, because whoever has the settings of the service can reach its database.
 */
export type ActingOperator =
  | { readonly kind: 'person'; readonly session: Session }
  | { readonly kind: 'shell'; readonly osUser: string };

/**
 * Refuses a person who has lost the role, whose account is frozen, or whose session has ended. The role and the session last until the
 * transaction ends. Call it before a change, after `lockActions`.
 */
export async function holdActing(tx: Tx, operator: ActingOperator): Promise<void> {
  if (operator.kind === 'shell') return;
  if (!(await holdActiveOperator(tx, operator.session.userId))) throw new Problem('role-not-allowed', NOT_ANY_MORE);
  await holdSession(tx, operator.session);
}

/**
 * Whether a user has the role, which then lasts as long as the transaction, and may use it: a frozen user may not. Accounts are locked last,
 * so the freeze is read without a lock. Freezing is an action too, and actions are decided one after the other.
 */
export async function holdActiveOperator(tx: Tx, userId: UserId): Promise<boolean> {
  return (await holdOperator(tx, userId)) && !(await isUserFrozen(tx, userId));
}

/** Whether a user may open the operators' console now. */
export async function isActiveOperator(db: Lookups, userId: UserId): Promise<boolean> {
  const [hasRole, account] = await Promise.all([isOperator(db, userId), lookUpAccountOfUser(db, userId)]);
  return hasRole && account !== null && account.frozenAt === null;
}

const NOT_ANY_MORE = 'You are no longer an operator, or your account is frozen.';

export type NewOperator = { readonly userId: UserId; readonly passkeys: readonly Passkey[]; readonly isNew: boolean };

/**
 * Gives a full user the role. They must have a passkey already, so that whoever adds them can compare its name and day: from now on
 * only a session that was opened with a passkey adds another one.
 */
export async function addOperatorIn(tx: Tx, userId: UserId, reason?: string): Promise<NewOperator> {
  if ((await lockUsers(tx, [userId])).get(userId)?.kind !== 'full') {
    throw new Problem('not-found', 'Only somebody who has signed up can be an operator.');
  }
  const passkeys = await listPasskeys(tx, userId);
  if (passkeys.length === 0) throw withoutPasskey();
  const isNew = await insertOperator(tx, userId);
  if (isNew) await recordChange(tx, { action: 'operator-added', subject: { kind: 'user', id: userId }, reason });
  return { userId, passkeys, isNew };
}

/** Says that somebody without a passkey cannot have the role. */
export function withoutPasskey(): Problem {
  return invalidInput('/email', 'belongs to an account without a passkey: add one at /account/passkeys first');
}

/**
 * Takes the role away. Actions of theirs that are being committed come before it. `keepLast`: the last operator stays, so that the console
 * does not close itself. Two removals at once must come one after the other.
 */
export async function removeOperatorIn(
  tx: Tx,
  userId: UserId,
  { keepLast, reason }: { readonly keepLast: boolean; readonly reason?: string },
): Promise<void> {
  const all = await listOperatorRows(tx);
  if (!all.some((operator) => operator.userId === userId)) {
    throw new Problem('not-found', 'This user is not an operator.');
  }
  if (keepLast && all.length === 1) {
    throw new Problem('limit-reached', 'This is the last operator. Remove them on the command line: operators remove.');
  }
  await deleteOperator(tx, userId);
  await recordChange(tx, { action: 'operator-removed', subject: { kind: 'user', id: userId }, reason });
}

/** The passkeys of an operator, for whoever compares their names. */
export async function passkeysOf({ db }: Pick<Service, 'db'>, userId: UserId): Promise<Passkey[]> {
  return listPasskeys(db, userId);
}

export async function listOperators({ db }: Pick<Service, 'db'>): Promise<OperatorRow[]> {
  return listOperatorRows(db);
}
