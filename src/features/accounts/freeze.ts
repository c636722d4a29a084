import type { UserId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { type Freeze, storeFreeze } from '../../ledger/frozen-accounts.ts';
import type { Service } from '../../service/service.ts';

/** What an operator's change has changed. Both are equal if there was nothing to change. */
export type StateChange<State> = { readonly before: State; readonly after: State };

/**
 * Freezes a user, a guest too, for a reason that only operators see (1 to 500 characters). Once this is committed, nothing more is paid
 * from their account, and nothing that protects it changes. Transfers accepted before still settle. Call {@link noteFreeze} after the
 * COMMIT. Throws `not-found`, also for a closed account.
 */
export function freezeUser(tx: Tx, userId: UserId, reason: string): Promise<StateChange<Freeze>> {
  return change(tx, userId, checkedReason(reason));
}

/** Lifts it: the user spends again. Call {@link noteFreeze} after the COMMIT. */
export function unfreezeUser(tx: Tx, userId: UserId): Promise<StateChange<Freeze>> {
  return change(tx, userId, null);
}

async function change(tx: Tx, userId: UserId, reason: string | null): Promise<StateChange<Freeze>> {
  const changed = await storeFreeze(tx, { kind: 'user', userId }, reason);
  if (!changed) throw new Problem('not-found', `There is no user "${userId}" with an open account.`);
  return changed;
}

/** Records a change in the security log, after its COMMIT. */
export function noteFreeze(
  { security }: Pick<Service, 'security'>,
  userId: UserId,
  { before, after }: StateChange<Freeze>,
): void {
  if (before.frozenAt === after.frozenAt) return;
  security.note(after.frozenAt ? 'user-frozen' : 'user-unfrozen', { userId });
}

const MAX_REASON_CHARACTERS = 500;

/** The note of an operator, trimmed. Throws `invalid-input`. */
export function checkedReason(text: string): string {
  const reason = text.toWellFormed().replaceAll('\0', ' ').trim();
  if (reason === '' || [...reason].length > MAX_REASON_CHARACTERS) {
    throw invalidInput('/reason', `must be a text of 1 to ${MAX_REASON_CHARACTERS} characters`);
  }
  return reason;
}
