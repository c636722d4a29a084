import { asAddress } from '../../../src/base/address.ts';
import { newTransferId, type RequestId } from '../../../src/base/ids.ts';
import { payUser } from '../../../src/features/payments/pay-user.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import type { RequestEvent } from '../../../src/requests/states.ts';
import type { Accepted } from '../../../src/service/instruction.ts';
import { transitionRequests } from '../../../src/settlement/transition-requests.ts';
import { asApp, asUser } from '../unit/callers.ts';
import type { Person } from './people.ts';
import type { TestApp, TestService } from './service.ts';

/** An app asks a user for quarters. The request stays pending. */
export async function askFor({ service }: TestService, app: TestApp, person: Person, tokens: number, description = '') {
  return createRequest(service, asUser(person.userId, app.id), { tokens, appId: app.id, description });
}

/** The user approves, as on our page, or the app does under a mandate. */
export function approve(
  { service }: TestService,
  request: Awaited<ReturnType<typeof askFor>>,
  by: 'page' | 'mandate' = 'page',
): Promise<Accepted> {
  const { id, from, to, amount, userId, appId } = request;
  const actor = by === 'page' ? (`user:${userId}` as const) : (`app:${appId}` as const);
  const origin = { kind: 'approval', requestId: id, userId, appId, actor, by } as const;
  return service.accept({ transferId: newTransferId(), from, to, amount, origin });
}

export async function move({ service }: TestService, id: RequestId, event: RequestEvent): Promise<void> {
  await service.db.transaction((tx) => transitionRequests(tx, [id], event, 'clock'));
}

export function pay({ service }: TestService, app: TestApp, person: Person, amount: number): Promise<Accepted> {
  return payUser(service, asApp(app.id), { from: asAddress(app.address), amount, user: person.userId });
}
