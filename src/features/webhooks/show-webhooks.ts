import type { UserId } from '../../base/ids.ts';
import type { App } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { type Delivery, listDeliveries } from '../../webhooks/deliveries.ts';
import { type Endpoint, listEndpoints } from '../../webhooks/endpoints.ts';
import { ownApp } from '../apps/own-app.ts';

const DELIVERIES_SHOWN = 20;

export type OwnWebhooks = {
  readonly app: App;
  /** Oldest first, each with its last deliveries, newest first. */
  readonly endpoints: readonly (Endpoint & { readonly deliveries: readonly Delivery[] })[];
};

/** The webhook endpoints of a developer's app, with the outcome of their last deliveries. Throws `not-found`. */
export async function showWebhooks({ db }: Pick<Service, 'db'>, ownerId: UserId, id: string): Promise<OwnWebhooks> {
  const app = await ownApp({ db }, ownerId, id);
  const endpoints = await listEndpoints(db, app.id);
  return {
    app,
    endpoints: await Promise.all(
      endpoints.map(async (endpoint) => ({
        ...endpoint,
        deliveries: await listDeliveries(db, endpoint.id, DELIVERIES_SHOWN),
      })),
    ),
  };
}
