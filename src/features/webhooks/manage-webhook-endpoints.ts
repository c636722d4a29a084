import { timestamp } from '../../base/dates.ts';
import { type AppId, type EndpointId, endpointIdFrom, newEndpointId } from '../../base/ids.ts';
import { invalidInput, Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import { lockApp } from '../../identity/apps.ts';
import { recordChange } from '../../operator-log/record.ts';
import { countChange } from '../../service/count-change.ts';
import type { Service } from '../../service/service.ts';
import type { EventType } from '../../webhooks/event-types.ts';
import { newWebhookSecret } from '../../webhooks/send.ts';
import { loopbackUrl, targetFault } from '../../webhooks/targets.ts';
import {
  deleteEndpoint,
  type Endpoint,
  type EndpointChange,
  findEndpoint,
  insertEndpoint,
  noSuchEndpoint,
  rotateSecret,
  secretContext,
  storeEndpointChange,
} from '../../webhooks/webhook-endpoints.ts';
import { changeWebhooks, type WebhookManager } from './change-webhooks.ts';

export type NewEndpoint = { readonly url: string; readonly types: EventType[] | null };

type Deps = Pick<Service, 'db' | 'vault' | 'settings' | 'security'>;

/** Sends an app's events to a URL from now on. The secret that signs them is returned only once. */
export async function addEndpoint(service: Deps, manager: WebhookManager, { url, types }: NewEndpoint) {
  const { vault, settings } = service;
  const add = async (tx: Tx, appId: AppId) => {
    checkTarget(settings, appId, url);
    const id = newEndpointId();
    const secret = newWebhookSecret();
    const sealedSecret = vault.seal(Buffer.from(secret), secretContext(id));
    if (!(await lockApp(tx, appId))) throw new Problem('not-found', 'There is no such app.');
    const endpoint = await insertEndpoint(tx, { id, appId, url, types, sealedSecret });
    await record(tx, appId, null, endpoint);
    return { ...endpointJson(endpoint), secret };
  };
  return changeWebhooks(service, manager, add, { sealed: true, noted: ({ id }) => `add ${id}` });
}

function checkTarget({ webhookPrivateTargets }: Service['settings'], appId: AppId, url: string): void {
  const fault = targetFault(url, webhookPrivateTargets === 'on');
  if (!fault) return;
  const here = `. To receive events on your own machine, run: npx quarters listen --app ${appId} --forward localhost:3000/hook`;
  throw invalidInput('/url', loopbackUrl(url) ? fault + here : fault);
}

/** Changes the given fields of one of an app's endpoints. */
export async function changeEndpoint(service: Deps, manager: WebhookManager, id: string, wanted: EndpointChange) {
  const change = async (tx: Tx, appId: AppId) => {
    if (wanted.url !== undefined) checkTarget(service.settings, appId, wanted.url);
    const before = await lockEndpoint(tx, appId, id);
    const endpoint = await storeEndpointChange(tx, appId, before.id, wanted);
    if (!endpoint) throw noSuchEndpoint();
    await record(tx, appId, before, endpoint);
    return endpointJson(endpoint);
  };
  return changeWebhooks(service, manager, change, { noted: (changed) => `change ${changed.id}` });
}

/** Stops sending events to an endpoint and returns it. */
export async function removeEndpoint(service: Deps, manager: WebhookManager, text: string) {
  const remove = async (tx: Tx, appId: AppId) => {
    const { id } = await lockEndpoint(tx, appId, text);
    const endpoint = await deleteEndpoint(tx, appId, id);
    if (!endpoint) throw noSuchEndpoint();
    await record(tx, appId, endpoint, null);
    return endpointJson(endpoint);
  };
  return changeWebhooks(service, manager, remove, { noted: ({ id }) => `remove ${id}` });
}

/** Creates a new secret, returned only once; the old one also signs for another day. */
export async function rotateEndpointSecret(service: Deps, manager: WebhookManager, text: string) {
  const rotate = async (tx: Tx, appId: AppId) => {
    const { id } = await lockEndpoint(tx, appId, text);
    const secret = newWebhookSecret();
    const until = await rotateSecret(tx, appId, id, service.vault.seal(Buffer.from(secret), secretContext(id)));
    if (!until) throw noSuchEndpoint();
    const after = { endpoint: id, secret: 'rotated', previousUntil: until };
    await countChange(tx, appId, 'rate-limited');
    await recordChange(tx, { action: 'webhook-changed', subject: { kind: 'app', id: appId }, after });
    return { secret, previousUntil: timestamp(until) };
  };
  return changeWebhooks(service, manager, rotate, { sealed: true, noted: () => `rotate-secret ${asEndpointId(text)}` });
}

/** Locks the app, so that its endpoints stay as they are until the transaction ends. */
async function lockEndpoint(tx: Tx, appId: AppId, text: string): Promise<Endpoint> {
  const id = asEndpointId(text);
  const endpoint = (await lockApp(tx, appId)) && (await findEndpoint(tx, id));
  if (endpoint?.appId !== appId) throw noSuchEndpoint();
  return endpoint;
}

/** Records an endpoint as it was and as it is; null: there is none. Of its address the origin, because the rest may hold a secret. */
async function record(tx: Tx, id: AppId, before: Endpoint | null, after: Endpoint | null): Promise<void> {
  await countChange(tx, id, 'rate-limited');
  const facts = (endpoint: Endpoint) => ({
    endpoint: endpoint.id,
    origin: new URL(endpoint.url).origin,
    types: endpoint.types,
    enabled: endpoint.disabledReason === null,
  });
  await recordChange(tx, {
    action: 'webhook-changed',
    subject: { kind: 'app', id },
    ...(before && { before: facts(before) }),
    ...(after && { after: facts(after) }),
  });
}

/** A webhook endpoint as the API shows it. */
export function endpointJson({ id, url, types, failingSince, disabledReason, createdAt }: Endpoint) {
  return {
    id,
    url,
    types,
    enabled: disabledReason === null,
    disabledReason,
    failingSince: failingSince && timestamp(failingSince),
    created: timestamp(createdAt),
  };
}

/** Text that cannot be an endpoint's id is `not-found`, like an unknown id. */
export function asEndpointId(text: string): EndpointId {
  const id = endpointIdFrom(text);
  if (!id) throw noSuchEndpoint();
  return id;
}

export function noEnabledEndpoint(): Problem {
  return new Problem('not-found', 'There is no such webhook endpoint, or it is disabled.');
}
