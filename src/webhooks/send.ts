import { createHmac, randomBytes } from 'node:crypto';
import { printable } from '../base/printable.ts';
import type { Connection, Connections } from './connections.ts';
import { targetFault } from './targets.ts';

// Standard Webhooks, "Signature scheme": https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

const PREFIX = 'whsec_';
/** The specification asks for 24 to 64. */
const SECRET_BYTES = 32;

/** `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return webhookSecretOf(randomBytes(SECRET_BYTES));
}

/** The secret of 24 to 64 bytes, such as a MAC. The same bytes give the same secret. */
export function webhookSecretOf(bytes: Buffer): string {
  return PREFIX + bytes.toString('base64');
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
  | {
      readonly ok: false;
      readonly status: number | null;
      readonly fault: SendFault;
      /** The beginning of what was answered, if `keepAnswer` asks for it. */
      readonly answer?: string;
    };

export type SendOptions = {
  /** To receivers, at the addresses that their names may lead to. */
  readonly connections: Connections;
  readonly privateTargets: boolean;
  readonly timeoutMs: number;
  /** Whether the answer of a failed message is kept. Only answers of the public internet may be: others would show our network. */
  readonly keepAnswer?: boolean;
  /** Gives the message up when aborted. */
  readonly signal?: AbortSignal;
};

export type SignedWebhook = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** How much of a response's body is read. Reading it lets the receiver finish. */
const MAX_ANSWER_BYTES = 16_384;
const MAX_ANSWER_CHARACTERS = 500;
/** No character of UTF-8 takes more than four bytes. */
const MAX_KEPT_BYTES = 4 * MAX_ANSWER_CHARACTERS;

type Target = { readonly origin: string; readonly path: string };

/** By URL, with those that are refused. Many messages go to each, and reading it takes longer than to sign one. */
const targets = { any: new Map<string, Target | null>(), public: new Map<string, Target | null>() };
const MOST_TARGETS = 1_000;

function targetOf(url: string, privateTargets: boolean): Target | null {
  const known = targets[privateTargets ? 'any' : 'public'];
  const found = known.get(url);
  if (found !== undefined) return found;
  const { origin, pathname, search } = new URL(url);
  const target = targetFault(url, privateTargets) ? null : { origin, path: pathname + search };
  known.set(url, target);
  if (known.size > MOST_TARGETS) known.delete(known.keys().next().value!);
  return target;
}

/** POSTs a message. 2xx means that it arrived. A redirect is not followed, as it could lead anywhere. Never throws. */
export async function send(message: SignedWebhook, options: SendOptions): Promise<Sent> {
  // Checked again: the operator may have become stricter since the endpoint was registered.
  const target = targetOf(message.url, options.privateTargets);
  if (!target) return { ok: false, status: null, fault: 'unreachable' };
  const giveUpAt = performance.now() + options.timeoutMs;
  const { origin, path } = target;
  const sent = await post(path, message, options, options.connections.take(origin), options.timeoutMs);
  // The receiver may have closed a kept connection at this very moment. That says nothing about the receiver.
  if (sent !== 'stale') return sent;
  const again = await post(path, message, options, options.connections.open(origin), giveUpAt - performance.now());
  return again === 'stale' ? { ok: false, status: null, fault: 'unreachable' } : again;
}

function post(
  path: string,
  { headers, body }: SignedWebhook,
  { connections, signal, keepAnswer }: SendOptions,
  connection: Connection,
  timeoutMs: number,
): Promise<Sent | 'stale'> {
  return new Promise((resolve) => {
    let status: number | null = null;
    let bytes = 0;
    let isLate = false;
    const kept: Buffer[] = [];
    const giveUp = () => connections.drop(connection);
    const timer = setTimeout(() => {
      isLate = true;
      giveUp();
    }, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    const ended = (error?: Error) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      const isStale = connection.wasAnswered && !isLate && !signal?.aborted;
      if (error) giveUp();
      else {
        connection.wasAnswered = true;
        connections.keep(connection);
      }
      // The status counts, even if the rest of the response fails.
      if (status === null && isStale) resolve('stale');
      else if (status === null) resolve({ ok: false, status, fault: isLate ? 'timeout' : faultOf(error) });
      else if (status >= 200 && status < 300) resolve({ ok: true, status });
      else resolve({ ok: false, status, fault: 'status', ...(kept.length > 0 && { answer: answerText(kept) }) });
    };
    const sent = { ...headers, 'content-type': 'application/json', 'user-agent': 'Quarters-Webhooks' };
    connection.client.dispatch(
      { method: 'POST', path, headers: sent, body },
      {
        onRequestStart() {
          if (signal?.aborted) giveUp();
        },
        onResponseStart(_, code) {
          if (code >= 200) status = code;
        },
        onResponseData(_, chunk) {
          // A redirect's text says no more than its status.
          const keeps = keepAnswer && status !== null && (status < 200 || status >= 400);
          if (keeps && bytes < MAX_KEPT_BYTES) kept.push(chunk);
          bytes += chunk.length;
          if (bytes > MAX_ANSWER_BYTES) giveUp();
        },
        onResponseEnd: () => ended(),
        onResponseError: (_, error) => ended(error),
      },
    );
  });
}

/** What a receiver answered, as one line of printable characters. */
function answerText(chunks: readonly Buffer[]): string {
  const text = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString();
  return [...printable(text.replace(/\s+/g, ' ').trim())].slice(0, MAX_ANSWER_CHARACTERS).join('');
}

function faultOf(error: NodeJS.ErrnoException | undefined): SendFault {
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(error?.code ?? '')
    ? 'tls'
    : 'unreachable';
}
