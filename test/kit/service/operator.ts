import { type Developer, withForms } from './developer.ts';
import { addOperator } from './operator-acts.ts';
import { storePasskey } from './passkey.ts';
import { createPerson } from './people.ts';
import type { TestService } from './service.ts';

/** An operator in a session that was opened with their passkey, unless `methods` says otherwise. */
export async function createOperator(
  service: TestService,
  options: Parameters<typeof createPerson>[1] = {},
): Promise<Developer> {
  const person = await createPerson(service, { methods: ['hwk'], ...options });
  await storePasskey(service, person.userId, 'Security key');
  await addOperator(service.service, person.email);
  return withForms(service, person);
}
