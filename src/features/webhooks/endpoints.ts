import { type AppId, newEndpointId } from '../../base/ids.ts';
import { invalidInput } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { lockApp } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { insertEndpoint, secretContext } from '../../webhooks/endpoints.ts';
import type { EventType } from '../../webhooks/event-types.ts';
import { newWebhookSecret } from '../../webhooks/signing.ts';
import { targetFault } from '../../webhooks/targets.ts';
import { endpointJson } from './endpoint-json.ts';

export type NewEndpoint = { readonly url: string; readonly types: EventType[] | null };

/**
 * Sends an app's events to a URL from now on. The secret that signs them is returned only once. Throws `invalid-input`,
 * `limit-reached`.
 */
export async function addEndpoint(
  { vault, settings }: Pick<Service, 'vault' | 'settings'>,
  tx: Tx,
  appId: AppId,
  { url, types }: NewEndpoint,
) {
  checkTarget(settings, url);
  const id = newEndpointId();
  const secret = newWebhookSecret();
  const sealedSecret = vault.seal(Buffer.from(secret), secretContext(id));
  await lockApp(tx, appId);
  const endpoint = await insertEndpoint(tx, { id, appId, url, types, sealedSecret });
  return { ...endpointJson(endpoint), secret };
}

/** Throws `invalid-input`. */
export function checkTarget({ webhookPrivateTargets }: Service['settings'], url: string): void {
  const fault = targetFault(url, webhookPrivateTargets === 'on');
  if (fault) throw invalidInput('/url', fault);
}
