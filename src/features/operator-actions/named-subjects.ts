import { Problem } from '../../base/problems.ts';
import { type Quarters, withThousands } from '../../base/quarters.ts';
import { type App, lookUpNamedApp } from '../../identity/apps.ts';
import { lookUpNamedUser, type User } from '../../identity/users.ts';
import { noSuchApp } from '../../service/managers.ts';
import type { Service } from '../../service/service.ts';

type Deps = Pick<Service, 'db'>;

/** The app of an action that is about to happen. Throws `not-found` for a deleted one. */
export async function livingApp({ db }: Deps, id: string): Promise<App> {
  const app = await lookUpNamedApp(db, id);
  if (!app || app.deletedAt) throw noSuchApp(id);
  return app;
}

/** The user of an action that is about to happen. Throws `not-found` for a closed account. */
export async function openUser({ db }: Deps, id: string): Promise<User> {
  const user = await lookUpNamedUser(db, id);
  if (!user || user.kind === 'closed') throw new Problem('not-found', `There is no user "${id}".`);
  return user;
}

/** How a sentence names a user. Operators may see the address; logs never hold this. */
export function nameOfUser({ displayName, email, kind, id }: User): string {
  const name = displayName === '' ? id : displayName;
  return kind === 'guest' ? `the guest ${name}` : `${name}${email === '' ? '' : ` (${email})`}`;
}

/** What the treasury has free, and has after an amount leaves it: `500 quarters → 380 quarters`. Without an arrow if it has too few. */
export const treasuryAfter = (free: Quarters, amount: Quarters): string =>
  free < amount ? inQuarters(free) : `${inQuarters(free)} → ${inQuarters((free - amount) as Quarters)}`;

export const inQuarters = (amount: Quarters): string =>
  `${withThousands(amount)} ${amount === 1n ? 'quarter' : 'quarters'}`;
