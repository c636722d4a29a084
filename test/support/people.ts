import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Address } from '../../src/base/address.ts';
import type { UserId } from '../../src/base/ids.ts';
import { createKey } from '../../src/custody/signer.ts';
import { insertFullUser } from '../../src/identity/users.ts';
import { openAccount } from '../../src/ledger/accounts.ts';
import { hashId } from '../../src/oauth/records.ts';
import { type Session, startSession } from '../../src/oauth/sessions.ts';
import { sessionCookieName } from '../../src/web/session-cookie.ts';
import { readVisitor } from '../../src/web/visitor.ts';
import { ageSessions } from '../rows/oauth.ts';
import type { TestService } from './service.ts';

/** A password that may be set. */
export const PASSWORD = 'correct horse battery';

/** Somebody with an account, signed in on our pages. */
export type Person = {
  readonly userId: UserId;
  readonly email: string;
  readonly address: Address;
  /** For the Cookie header: `name=value`. */
  readonly cookie: string;
  /** The hidden field `csrf` of every form they are shown. */
  readonly csrf: string;
  readonly session: Session;
};

type Options = {
  readonly email?: string;
  readonly displayName?: string;
  /** How long ago they signed in; what protects the account wants it to be less than 15. */
  readonly minutesAgo?: number;
};

/** A full user with an account of their own and no password, signed in with a password as far as the session knows. */
export async function createPerson({ service }: Pick<TestService, 'service'>, options: Options = {}): Promise<Person> {
  const { db, vault } = service;
  const { email = `person-${randomUUID()}@mail.example`, displayName = 'Ada', minutesAgo = 0 } = options;
  const { address, sealedKey } = createKey(vault);
  const userId = await db.transaction(async (tx) => {
    const user = await insertFullUser(tx, { email, displayName });
    if (!user) throw new Error(`${email} is somebody's already`);
    await openAccount(tx, address, { kind: 'user', userId: user.id }, sealedKey);
    return user.id;
  });
  return { userId, email, address, ...(await signIn({ service }, userId, minutesAgo)) };
}

/** One more session of somebody's. */
export async function signIn(
  { service }: Pick<TestService, 'service'>,
  userId: UserId,
  minutesAgo = 0,
): Promise<Pick<Person, 'cookie' | 'csrf' | 'session'>> {
  const value = await startSession(service.db, userId, ['pwd']);
  await ageSessions(service.db, { hash: hashId(value) }, `${minutesAgo} minutes`);
  const name = sessionCookieName(service.publicUrl);
  const visitor = await readVisitor(service, { cookies: { [name]: value } } as unknown as FastifyRequest);
  if (!visitor) throw new Error('The session opens nothing');
  return { cookie: `${name}=${value}`, csrf: visitor.csrf, session: visitor.session };
}
