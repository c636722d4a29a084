import { createHmac, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { targetFault } from './targets.ts';

// Standard Webhooks, "Signature scheme": https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of a message. `at`: when it is sent, which protects receivers against replays. `secrets`: each gives a signature, so that
 * a receiver needs to know only one of them.
 */
export function signedHeaders(id: string, at: Date, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const signature = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret)}`).join(' '),
  };
}

/**
 * Why a message did not arrive. It tells no more, so that endpoints cannot be registered to explore our network.
 * `status`: it answered with another status than 2xx.
 */
export type SendFault = 'status' | 'timeout' | 'tls' | 'unreachable';

export type Sent =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly status: number | null; readonly fault: SendFault };

export type SendOptions = {
  readonly lookup: LookupFunction;
  readonly privateTargets: boolean;
  readonly timeoutMs: number;
};

export type SignedWebhook = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** How much of a response's body is read. It is not used; reading it lets the receiver finish. */
const MAX_ANSWER_BYTES = 16_384;

/**
 * POSTs a message on a connection of its own. 2xx means that it arrived. A redirect is not followed, as it could lead anywhere.
 * Never throws.
 */
export function send(
  { url, headers, body }: SignedWebhook,
  { lookup, privateTargets, timeoutMs }: SendOptions,
): Promise<Sent> {
  // Checked again: the operator may have become stricter since the endpoint was registered.
  if (targetFault(url, privateTargets)) return Promise.resolve({ ok: false, status: null, fault: 'unreachable' });
  return new Promise((resolve) => {
    let status: number | null = null;
    let fault: SendFault = 'unreachable';
    const post = url.startsWith('https:') ? httpsRequest : httpRequest;
    const signal = AbortSignal.timeout(timeoutMs);
    const request = post(url, {
      method: 'POST',
      agent: false,
      lookup,
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Quarters-Webhooks',
      },
    });
    request.on('response', (response) => {
      status = response.statusCode ?? 0;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_ANSWER_BYTES) request.destroy();
      });
      response.on('error', () => {});
    });
    request.on('error', (error) => {
      fault = signal.aborted ? 'timeout' : faultOf(error);
    });
    request.on('close', () => {
      // The status counts, even if the rest of the response fails.
      if (status === null) resolve({ ok: false, status, fault });
      else resolve(status >= 200 && status < 300 ? { ok: true, status } : { ok: false, status, fault: 'status' });
    });
    request.end(body);
  });
}

function faultOf(error: NodeJS.ErrnoException): SendFault {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(error.code ?? '')
    ? 'tls'
    : 'unreachable';
}
