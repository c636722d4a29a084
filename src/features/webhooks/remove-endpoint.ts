import type { AppId } from '../../base/ids.ts';
import type { Query } from '../../db/database.ts';
import { deleteEndpoint } from '../../webhooks/endpoints.ts';
import { asEndpointId, endpointJson, noSuchEndpoint } from './endpoint-json.ts';

/** Stops sending events to an endpoint and returns it. Throws `not-found`. */
export async function removeEndpoint(db: { query: Query }, appId: AppId, id: string) {
  const endpoint = await deleteEndpoint(db, appId, asEndpointId(id));
  if (!endpoint) throw noSuchEndpoint();
  return endpointJson(endpoint);
}
