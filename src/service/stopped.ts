import type { UserId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import type { Settings } from '../config/settings.ts';
import type { Tx } from '../db/database.ts';
import { lookUpAccountOfUser } from '../ledger/accounts.ts';
import { holdFreeze } from '../ledger/frozen-accounts.ts';
import type { Service } from './service.ts';

/** Whom a refusal names. */
type Help = Pick<Settings, 'supportUrl'>;

/** A frozen user's account pays nothing, and what protects it stays as it is. */
export function accountFrozen(settings: Help): Problem {
  return new Problem('account-frozen', `The account is frozen. ${whoHelps('Its user', settings)}`);
}

/** A suspended app's credentials do nothing, and no quarters move to it or from it. */
export function appSuspended(settings: Help): Problem {
  return new Problem('app-suspended', `The app is suspended. ${whoHelps('Its developer', settings)}`);
}

function whoHelps(who: string, { supportUrl }: Help): string {
  return supportUrl
    ? `${who} can get help at ${supportUrl.replace(/^mailto:/, '')}.`
    : `${who} can ask the operator of this service.`;
}

/**
 * Refuses to change what protects a frozen user's account: whoever has taken it over must not make it theirs. Call it last in the
 * transaction of the change, as accounts are locked last.
 */
export async function refuseWhileFrozen(
  tx: Tx,
  { settings }: { readonly settings: Help },
  userId: UserId,
): Promise<void> {
  if (await holdFreeze(tx, userId)) throw accountFrozen(settings);
}

/** Whether a user is frozen now, for a page that offers nothing that would be refused. */
export async function isFrozen({ db }: Pick<Service, 'db'>, userId: UserId): Promise<boolean> {
  return ((await lookUpAccountOfUser(db, userId))?.frozenAt ?? null) !== null;
}
