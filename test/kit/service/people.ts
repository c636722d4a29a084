import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Address } from '../../../src/base/address.ts';
import type { UserId } from '../../../src/base/ids.ts';
import { createUserKey } from '../../../src/custody/new-keys.ts';
import { insertFullUser } from '../../../src/identity/users.ts';
import { openAccount } from '../../../src/ledger/accounts.ts';
import { hashId } from '../../../src/oauth/records.ts';
import { type AuthMethod, type Session, startSession } from '../../../src/oauth/sessions.ts';
import { sessionCookieName } from '../../../src/web/session-cookie.ts';
import { readVisitor } from '../../../src/web/visitor.ts';
import { ageSessions } from '../../rows/oauth.ts';
import type { TestService } from './service.ts';

/** A password that satisfies the rules. */
export const PASSWORD = 'correct horse battery';

/** Somebody with an account, signed in on our pages. */
export type Person = {
  readonly userId: UserId;
  readonly email: string;
  readonly address: Address;
  /** For the Cookie header: `name=value`. */
  readonly cookie: string;
  /** The value of the hidden field `csrf` in their forms. */
  readonly csrf: string;
  readonly session: Session;
};

type Options = {
  readonly email?: string;
  readonly displayName?: string;
  /** How long ago they signed in; protected changes need less than 15. */
  readonly minutesAgo?: number;
  /** How they signed in. */
  readonly methods?: readonly AuthMethod[];
};

/** A full user with an account and no password, in a session that records a sign-in with a password by default. */
export async function createPerson({ service }: Pick<TestService, 'service'>, options: Options = {}): Promise<Person> {
  const { db, vault } = service;
  const { email = `person-${randomUUID()}@mail.example`, displayName = 'Ada', minutesAgo = 0, methods } = options;
  const { userId, address, keyId } = createUserKey(vault);
  await db.transaction(async (tx) => {
    const user = await insertFullUser(tx, { id: userId, email, displayName });
    if (!user) throw new Error(`${email} is somebody's already`);
    await openAccount(tx, address, { kind: 'user', userId }, keyId);
  });
  return { userId, email, address, ...(await signIn({ service }, userId, minutesAgo, methods)) };
}

/** Opens another session of a user. */
export async function signIn(
  { service }: Pick<TestService, 'service'>,
  userId: UserId,
  minutesAgo = 0,
  methods: readonly AuthMethod[] = ['pwd'],
): Promise<Pick<Person, 'cookie' | 'csrf' | 'session'>> {
  const value = await startSession(service.db, userId, methods);
  await ageSessions(service.db, { hash: hashId(value) }, `${minutesAgo} minutes`);
  const name = sessionCookieName(service.publicUrl);
  const visitor = await readVisitor(service, { cookies: { [name]: value } } as unknown as FastifyRequest);
  if (!visitor) throw new Error('The session opens nothing');
  return { cookie: `${name}=${value}`, csrf: visitor.csrf, session: visitor.session };
}
