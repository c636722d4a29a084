import type { UserId } from '../../base/ids.ts';
import { identifyCaller } from '../../base/log.ts';
import { hashSecret, newSecret } from '../../base/secrets.ts';
import { createUserKey } from '../../custody/new-keys.ts';
import { listAppsOf } from '../../identity/apps.ts';
import { DEMO_OWNER_EMAIL, DEMO_OWNER_NAME, isDemoOwner } from '../../identity/demo-owner.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import { passwordHash } from '../../identity/passwords.ts';
import { insertSignInLink, spendSignInLink } from '../../identity/sign-in-links.ts';
import { findUser, findUserByEmail, insertFullUser, type User } from '../../identity/users.ts';
import { openAccount } from '../../ledger/accounts.ts';
import { recordChange } from '../../operator-log/record.ts';
import { consolePath, DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import { openSession } from './sign-in.ts';

/** Prints a new link; where a page or a command speaks of links, it names this. */
export const SIGN_IN_LINK_COMMAND = 'npx quarters sign-in-link';

export const SIGN_IN_LINK_PATH = '/sign-in/link';

/** The owner of the demo app: a user without password, whom only a link signs in. Created at the first call. */
export async function ensureDemoOwner(service: Service): Promise<UserId> {
  requireDevelopment(service);
  const { db, vault } = service;
  const { userId, address, keyId } = createUserKey(vault);
  const created = await db.transaction(async (tx) => {
    const user = await insertFullUser(tx, { id: userId, email: DEMO_OWNER_EMAIL, displayName: DEMO_OWNER_NAME });
    if (!user) return null;
    await openAccount(tx, address, { kind: 'user', userId }, keyId);
    await recordChange(tx, { action: 'account-created', subject: { kind: 'user', id: user.id } });
    return user;
  });
  if (created) service.security.note('account-created', { userId: created.id });
  const owner = created ?? (await findUserByEmail(db, DEMO_OWNER_EMAIL));
  if (!owner) throw new Error('The demo app has no owner');
  return owner.id;
}

/** The owner of the demo app; null if there is no demo app, or no development mode. */
export async function findDemoOwner({ db, development }: Pick<Service, 'db' | 'development'>): Promise<UserId | null> {
  if (!development) return null;
  return (await findUserByEmail(db, DEMO_OWNER_EMAIL))?.id ?? null;
}

/**
 * Makes a link that signs in the owner of the demo app, once, within 12 hours. Returns its address, which is a secret.
 *
 * Throws outside of development mode, and if there is no demo app.
 */
export async function newSignInLink(service: Service): Promise<string> {
  requireDevelopment(service);
  const ownerId = await findDemoOwner(service);
  if (!ownerId)
    throw new Error('There is no demo app, so there is nobody to sign in. DEMO_APP=on adds one at the next start.');
  const token = newSecret('sign-in link');
  await insertSignInLink(service.db, hashSecret(token), ownerId);
  return `${service.publicUrl}${SIGN_IN_LINK_PATH}?${new URLSearchParams({ token })}`;
}

/**
 * Signs in the owner of the demo app with a link's token. Returns the session cookie's value and the path of their app. Null if the
 * link is unknown, used or expired: of concurrent calls one signs in.
 *
 * `former`: the session cookie's earlier value. `browser`: browser and system, in words.
 */
export async function signInByLink(
  service: Service,
  token: string,
  arriving: { readonly former: string | undefined; readonly browser: string | null },
): Promise<{ readonly session: string; readonly path: string } | null> {
  requireDevelopment(service);
  const signedIn = await service.db.transaction(async (tx) => {
    const userId = await spendSignInLink(tx, hashSecret(token));
    const user = userId && (await findUser(tx, userId));
    // Checked here, too: no link ever signs in anybody else.
    if (!user || !isDemoOwner(user)) return null;
    return { user, session: await openSession(tx, { userId: user.id, methods: ['otp'], ...arriving }) };
  });
  if (!signedIn) {
    service.security.note('sign-in-failed', { what: 'link' });
    return null;
  }
  const { user, session } = signedIn;
  identifyCaller({ userId: user.id });
  service.security.note('sign-in', { userId: user.id, what: 'link' });
  const [app] = await listAppsOf(service.db, user.id);
  const console = consolePath(service.house, DEVELOPERS_CONSOLE);
  if (console === null) return { session, path: '/account' };
  return { session, path: app ? `${console}/apps/${app.id}` : console };
}

/** Whether a new link is the only way in which this user can confirm who they are. */
export async function isSignedInByLinkOnly({ db, development }: Service, user: User): Promise<boolean> {
  if (!development || !isDemoOwner(user)) return false;
  const [password, passkeys] = await Promise.all([passwordHash(db, user.id), listPasskeys(db, user.id)]);
  return password === null && passkeys.length === 0;
}

function requireDevelopment({ development }: Service): void {
  if (development) return;
  throw new Error(
    'Links sign in only in development mode: with the embedded database and chain, HOST and PUBLIC_URL on this machine, and no TRUST_PROXY.',
  );
}
