import type { RequestId } from '../../../src/base/ids.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import { createPerson, type Person } from '../service/people.ts';
import type { TestApp, TestService } from '../service/service.ts';
import { asUser } from '../unit/callers.ts';

/** A request that a full user is asked to approve. */
export type PersonPayment = { readonly id: RequestId; readonly person: Person; readonly url: string };

/** A user with 100 quarters who is asked for 10. `person`: an existing user. */
export async function personPayment(service: TestService, app: TestApp, person?: Person): Promise<PersonPayment> {
  const payer = person ?? (await createPerson(service));
  if (!person) await service.issue(payer.userId, 100);
  const { id } = await createRequest(service.service, asUser(payer.userId, app.id), {
    tokens: 10,
    appId: app.id,
    description: 'a sword',
  });
  return { id, person: payer, url: `${service.origin}/requests/${id}?inline=true` };
}
