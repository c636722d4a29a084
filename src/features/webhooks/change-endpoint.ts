import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Service } from '../../settlement/service.ts';
import { changeEndpoint as change, type EndpointChange } from '../../webhooks/endpoints.ts';
import { asEndpointId, endpointJson, noSuchEndpoint } from './endpoint-json.ts';
import { checkTarget } from './endpoints.ts';

/** Changes the given fields of one of an app's endpoints. Throws `invalid-input`, `not-found`. */
export async function changeEndpoint(
  { settings }: Pick<Service, 'settings'>,
  tx: Tx,
  appId: AppId,
  id: string,
  wanted: EndpointChange,
) {
  if (wanted.url !== undefined) checkTarget(settings, wanted.url);
  const endpoint = await change(tx, appId, asEndpointId(id), wanted);
  if (!endpoint) throw noSuchEndpoint();
  return endpointJson(endpoint);
}
