import { hashPassword, storePassword } from '../../src/identity/passwords.ts';
import { createPerson, type Person } from '../support/people.ts';
import type { TestService } from '../support/service.ts';

export const PASSWORD = 'correct horse battery';

export async function personWithPassword(service: TestService): Promise<Person> {
  const person = await createPerson(service);
  await storePassword(service.service.db, person.userId, await hashPassword(PASSWORD));
  return person;
}

/** For `startTestService`: callers say where they come from. */
export const behindProxy = { env: { TRUST_PROXY: '1' } };

let places = 0;
/** A header by which every call comes from another place: limits count by it. */
export const somewhere = () => ({ 'x-forwarded-for': `2001:db8:${(++places).toString(16)}::1` });
