import type { AppId } from '../../../src/base/ids.ts';
import type { NewGuest } from '../../../src/features/guests/create-guest.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import {
  addEndpoint,
  type NewEndpoint,
  removeEndpoint,
} from '../../../src/features/webhooks/manage-webhook-endpoints.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import { transitionRequests } from '../../../src/settlement/transition-requests.ts';
import { listEndpoints } from '../../../src/webhooks/webhook-endpoints.ts';
import { asUser } from '../unit/callers.ts';
import type { TestApp, TestService } from './service.ts';

/** The receivers of tests are on this machine. */
export const PRIVATE_TARGETS = { WEBHOOK_PRIVATE_TARGETS: 'on' };

export function addHook({ service }: TestService, appId: AppId, url: string, types: NewEndpoint['types'] = null) {
  return addEndpoint(service, { by: OPERATOR, appId }, { url, types });
}

/** Removes all endpoints of an app. */
export async function removeHooks({ service }: TestService, appId: AppId): Promise<void> {
  for (const { id } of await listEndpoints(service.db, appId))
    await removeEndpoint(service, { by: OPERATOR, appId }, id);
}

/** Creates a request and cancels it: events without the chain. Returns the request's id. */
export async function cancelled({ service }: TestService, app: TestApp, guest: NewGuest): Promise<string> {
  const { id } = await createRequest(service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id });
  await service.db.transaction((tx) => transitionRequests(tx, [id], 'cancel', `app:${app.id}`));
  return id;
}

type DeliveryRow = {
  attempts: number;
  delivered: boolean;
  over: boolean;
  last_status: number | null;
  last_error: string | null;
  /** Seconds until the next attempt. */
  pause: number;
};

export async function deliveriesTo({ service }: TestService, endpointId: string): Promise<DeliveryRow[]> {
  return service.db.query<DeliveryRow>(
    `SELECT attempts, delivered_at IS NOT NULL AS delivered, next_attempt_at IS NULL AS over, last_status, last_error,
            extract(epoch FROM next_attempt_at - now())::float8 AS pause
       FROM deliveries WHERE endpoint_id = $1 ORDER BY event_id`,
    [endpointId],
  );
}
