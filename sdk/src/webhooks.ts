import type { AppEvent } from './api.generated.ts';
import { fromBase64, toUtf8 } from './bytes.ts';
import { VerificationError } from './errors.ts';

type Delivery = {
  /** The body as it came: text or bytes, not parsed and written again. */
  readonly body: string | Uint8Array;
  /** Of the request; names in any letter case. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the endpoint, `whsec_…`; both while it is being replaced. */
  readonly secret: string | readonly string[];
  /** How old, or how far ahead, a delivery may be; 300 unless given. */
  readonly toleranceSeconds?: number;
};

/** `id`: of the event; the same when it is delivered again, so keep it to do everything once. */
export type VerifiedWebhook = { readonly id: string; readonly event: Omit<AppEvent, 'id'> };

/**
 * Checks a webhook's signature and age (Standard Webhooks) and reads it. Throws {@link VerificationError}: answer 400 and do nothing.
 */
export async function verifyWebhook(delivery: Delivery): Promise<VerifiedWebhook> {
  const { body, toleranceSeconds = 300 } = delivery;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(delivery.headers, name),
  );
  if (!id || !timestamp || !signatures) throw new VerificationError('This is not a webhook: its headers are missing.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new VerificationError('The webhook is too old, or from the future.');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = toUtf8(`${id}.${timestamp}.${text}`);
  const given = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  for (const secret of [delivery.secret].flat()) {
    const key = await crypto.subtle.importKey(
      'raw',
      decoded(secret.replace(/^whsec_/, '')),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of given) {
      // Compared by the platform, in constant time.
      if (await crypto.subtle.verify('HMAC', key, decoded(signature), signed)) return { id, event: JSON.parse(text) };
    }
  }
  throw new VerificationError('The signature is not of this endpoint.');
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
