import { timestamp } from '../../base/dates.ts';
import type { AppId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import type { Service } from '../../settlement/service.ts';
import { rotateSecret, secretContext } from '../../webhooks/endpoints.ts';
import { newWebhookSecret } from '../../webhooks/signing.ts';
import { asEndpointId, noSuchEndpoint } from './endpoint-json.ts';

/** Creates a new secret, returned only once; the old one also signs for another day. Throws `not-found`. */
export async function rotateEndpointSecret({ vault }: Pick<Service, 'vault'>, tx: Tx, appId: AppId, text: string) {
  const id = asEndpointId(text);
  const secret = newWebhookSecret();
  const until = await rotateSecret(tx, appId, id, vault.seal(Buffer.from(secret), secretContext(id)));
  if (!until) throw noSuchEndpoint();
  return { secret, previousUntil: timestamp(until) };
}
