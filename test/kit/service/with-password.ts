import { argon2Sync } from 'node:crypto';
import { storePassword } from '../../../src/identity/passwords.ts';
import { createPerson, PASSWORD, type Person } from './people.ts';
import type { TestService } from './service.ts';

export { PASSWORD };

/** As it could have been stored at the least cost: a stored password is compared at the cost that it names, ours takes 40 ms. */
export const STORED = cheaply(PASSWORD);

function cheaply(password: string): string {
  const nonce = Buffer.alloc(16, 'salt');
  const tag = argon2Sync('argon2id', { message: password, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

/** Somebody whose password is {@link PASSWORD}. */
export async function personWithPassword(
  service: TestService,
  options: Parameters<typeof createPerson>[1] = {},
): Promise<Person> {
  const person = await createPerson(service, options);
  await storePassword(service.service.db, person.userId, STORED);
  return person;
}

/** For `startTestService`: callers say where they come from. */
export const behindProxy = { env: { TRUST_PROXY: '1' } };

let places = 0;
/** A header by which every call comes from another place: limits count by it. */
export const somewhere = () => ({ 'x-forwarded-for': `2001:db8:${(++places).toString(16)}::1` });
