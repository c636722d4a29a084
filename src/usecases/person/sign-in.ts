import { emailFault, foldEmail, normaliseEmail } from '../../identity/email-address.ts';
import { findUserByEmail } from '../../identity/users.ts';
import type { Service } from '../service.ts';
import { countGuess, fromPlace } from '../system/count-guess.ts';
import { openSessionByPassword } from './open-session.ts';

export type SignIn = {
  readonly email: string;
  readonly password: string;
  /** The address they come from. */
  readonly client: string;
  /** What the session cookie held before. */
  readonly former: string | undefined;
};

/**
 * Signs somebody in with their password: returns the new session's cookie value. Null: no such account or not its password,
 * told apart by nothing, the work done included. Throws `too-many-tries`.
 */
export async function signIn(
  service: Service,
  { email: typed, password, client, former }: SignIn,
): Promise<string | null> {
  const email = normaliseEmail(typed);
  await countTries(service, foldEmail(email), client);
  // What can not be an address is not looked up: PostgreSQL refuses some of it.
  const user = emailFault(email) === null ? await findUserByEmail(service.db, email) : null;
  const userId = user?.kind === 'full' ? user.id : null;
  return openSessionByPassword(service, { userId, password, client, methods: ['pwd'], former });
}

/** Tight for one place, loose for one account: by the latter a stranger could keep its owner out. */
async function countTries(service: Service, email: string, client: string): Promise<void> {
  await countGuess(service, 'sign-in', [
    ...fromPlace(client, 100, 15),
    ...fromPlace(client, 10, 15, email),
    { key: email, most: 200, minutes: 15 },
  ]);
}
