import { type AppId, type EventId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { redeliver } from '../../webhooks/deliveries.ts';
import { findEvent } from '../../webhooks/events.ts';
import { asEndpointId } from './endpoint-json.ts';

/**
 * Sends one of an app's events again: to one endpoint, or to all that want its type. Returns those endpoints. Throws
 * `not-found`, also for a disabled endpoint.
 */
export async function redeliverEvent(tx: Tx, appId: AppId, id: string, endpoint: string | null) {
  const event = new RegExp(UUID_PATTERN).test(id) ? await findEvent(tx, id.toLowerCase() as EventId) : null;
  if (event?.appId !== appId) throw new Problem('not-found', 'There is no such event, or it is more than 30 days old.');
  const endpoints = await redeliver(tx, event, endpoint === null ? null : asEndpointId(endpoint));
  if (endpoint !== null && endpoints.length === 0) {
    throw new Problem('not-found', 'There is no such webhook endpoint, or it is disabled.');
  }
  return { id: event.id, endpoints };
}
