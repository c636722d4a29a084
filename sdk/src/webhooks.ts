import { fromBase64, toBase64, toUtf8 } from './bytes.ts';
import { VerificationError } from './errors.ts';
import type { EventType, WebhookMessage } from './events.ts';

type Delivery = {
  /** The unchanged body: text or bytes, not parsed and serialised again. */
  readonly body: string | Uint8Array;
  /** The request's headers, with names in any letter case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The endpoint's secret, `whsec_…`; both secrets while it is being replaced. */
  readonly secret: string | readonly string[];
  /** How many seconds a delivery's time may differ from now; 300 by default. */
  readonly toleranceSeconds?: number;
};

/** `id`: the event's id. A redelivery has the same id: store it, so that you handle each event once. */
export type VerifiedWebhook = { readonly id: string; readonly event: WebhookMessage };

/**
 * Checks a webhook's signature and age (Standard Webhooks) and parses it. Throws {@link VerificationError}: then respond with 400 and do nothing.
 */
export async function verifyWebhook(delivery: Delivery): Promise<VerifiedWebhook> {
  const { body, toleranceSeconds = 300 } = delivery;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(delivery.headers, name),
  );
  if (!id || !timestamp || !signatures) throw new VerificationError('This is not a webhook: its headers are missing.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new VerificationError("The webhook's time is too far from now.");

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = signedBytes(id, timestamp, text);
  const given = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  for (const secret of [delivery.secret].flat()) {
    const key = await keyOf(secret, 'verify');
    for (const signature of given) {
      // The platform compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, decoded(signature), signed)) return { id, event: JSON.parse(text) };
    }
  }
  throw new VerificationError('The signature is not from this endpoint.');
}

type ToSign = {
  /** `data` may hold only what your code reads. `timestamp` is the time of signing by default. */
  readonly event: { readonly type: EventType; readonly data: object; readonly timestamp?: string };
  readonly secret: string;
  /** The event's id; a random one by default. */
  readonly id?: string;
  /** When it was sent; now by default. */
  readonly at?: Date;
};

export type SignedWebhook = { readonly body: string; readonly headers: Readonly<Record<string, string>> };

/** Signs an event as the service does, for the unit tests of your webhook's receiver. */
export async function signWebhook({
  event,
  secret,
  id = crypto.randomUUID(),
  at = new Date(),
}: ToSign): Promise<SignedWebhook> {
  const { type, timestamp = at.toISOString(), data } = event;
  const body = JSON.stringify({ type, timestamp, data: { sequence: 1, ...data } });
  const seconds = String(Math.floor(at.getTime() / 1000));
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret, 'sign'), signedBytes(id, seconds, body));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${toBase64(new Uint8Array(signature))}`,
    },
  };
}

function signedBytes(id: string, timestamp: string, body: string): Uint8Array<ArrayBuffer> {
  return toUtf8(`${id}.${timestamp}.${body}`);
}

function keyOf(secret: string, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  const bytes = decoded(secret.replace(/^whsec_/, ''));
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(base64);
  } catch {
    throw new VerificationError('A secret or a signature is not base64.');
  }
}

function header(headers: Delivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
