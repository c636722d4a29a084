import type { AppId, UserId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { App } from '../../identity/apps.ts';
import { holdSession, type Session } from '../../oauth/sessions.ts';
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

/**
 * Lets a developer do in the console what the server of their own app may do through the API. Throws `not-found`,
 * `token-expired`.
 */
export async function actAsOwnApp<T>(
  { db }: Pick<Service, 'db'>,
  session: Session,
  id: string,
  act: (tx: Tx, appId: AppId) => Promise<T>,
): Promise<T> {
  const app = await ownApp({ db }, session.userId, id);
  return db.transaction(async (tx) => {
    const result = await act(tx, app.id);
    await holdSession(tx, session);
    return result;
  });
}
