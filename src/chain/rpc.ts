import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback } from 'node:zlib';
import type { Hex } from '../base/hex.ts';
import { traced } from '../base/spans.ts';

export type RpcCall = { readonly method: string; readonly params: readonly unknown[] };

/** `unknown`: no usable answer came, so the node may or may not have executed the call. */
export type RpcReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The node answered with an error: it understood the call and refused it. */
class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** No usable answer from any endpoint: the outcome is unknown. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** A JSON-RPC 2.0 client over HTTP. Endpoints are tried in order, starting with the one that answered last. */
export type Rpc = {
  /**
   * One call, which must be safe to repeat: it is repeated if no answer came. Throws `RpcError` or {@link
   * RpcUnreachable}.
   */
  call<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /** Several calls in one HTTP request, with a reply for each, in order. Never throws. */
  batch(calls: readonly RpcCall[]): Promise<RpcReply[]>;
};

const TIMEOUT_MS = 10_000;
/** Following the chain takes several calls, and a single lost answer must not fail all of them. */
const CALL_AGAIN_AFTER_MS = [50, 200];
const gunzip = promisify(gunzipCallback);
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** After this time a full batch is tried again, because the refusal may have been temporary or another endpoint's. */
const BATCH_LIMIT_HOLDS_MS = 60_000;
const SPEAKS_OF_SIZE = /batch|too (large|big)|request too long/i;

type Item = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
} | null;

/**
 * `urls`: at least one http(s) endpoint; the first is preferred at the start. `onSent`: called after transactions were
 * sent to the node.
 */
export function connectRpc(
  urls: readonly string[],
  options: { timeoutMs?: number; onSent?: (() => void) | undefined } = {},
): Rpc {
  let current = 0;
  let nextId = 1;
  // Each node has its own limit for batches. A size that was refused is not tried again for a while.
  let largestBatch = Number.POSITIVE_INFINITY;
  let refusedAt = 0;

  /** Null if the batch is too large. */
  async function post(calls: readonly RpcCall[]): Promise<RpcReply[] | null> {
    const firstId = nextId;
    nextId += calls.length;
    const body = JSON.stringify(calls.map((call, i) => ({ jsonrpc: '2.0', id: firstId + i, ...call })));
    let reason = 'no endpoint';
    for (let i = 0; i < urls.length; i++) {
      const endpoint = current;
      try {
        return await ask(urls[endpoint]!, body, firstId, calls.length, options.timeoutMs ?? TIMEOUT_MS);
      } catch (error) {
        reason = (error as Error).message;
        if (current === endpoint) current = (endpoint + 1) % urls.length;
      }
    }
    return calls.map(() => ({ kind: 'unknown', reason }));
  }

  async function batch(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    if (calls.length === 0) return [];
    if (Date.now() - refusedAt > BATCH_LIMIT_HOLDS_MS) largestBatch = Number.POSITIVE_INFINITY;
    if (calls.length > largestBatch) return inHalves(calls);
    const details = { kind: 'client', inner: true, attributes: { 'rpc.calls': calls.length } } as const;
    const replies = await traced(`rpc ${calls[0]!.method}`, details, () => post(calls));
    if (calls.some(({ method }) => method === 'eth_sendRawTransaction')) options.onSent?.();
    if (replies) return replies;
    largestBatch = calls.length >> 1;
    refusedAt = Date.now();
    return inHalves(calls);
  }

  async function inHalves(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    const middle = calls.length >> 1;
    return [...(await batch(calls.slice(0, middle))), ...(await batch(calls.slice(middle)))];
  }

  return {
    async call<Result>(method: string, params: readonly unknown[]) {
      let [reply] = await batch([{ method, params }]);
      for (const pause of CALL_AGAIN_AFTER_MS) {
        if (reply?.kind !== 'unknown') break;
        await delay(pause);
        [reply] = await batch([{ method, params }]);
      }
      if (reply?.kind === 'result') return reply.result as Result;
      if (reply?.kind === 'error') throw new RpcError(reply.code, reply.message);
      throw new RpcUnreachable(`The chain node did not answer ${method}: ${reply?.reason}`);
    },
    batch,
  };
}

/** One HTTP request for `count` calls; null if they are too many for one. Throws if none is answered. */
async function ask(
  url: string,
  body: string,
  firstId: number,
  count: number,
  timeoutMs: number,
): Promise<RpcReply[] | null> {
  const response = await postText(url, body, timeoutMs).catch((error: NodeJS.ErrnoException) => {
    // An abort hides its reason in `cause`; a refused connection may have a code only. The endpoint's address may hold a
    // key, so it is not repeated.
    throw new Error((error.cause as Error | undefined)?.message || error.message || error.code);
  });
  if (response.text === null) {
    if (count > 1) return null;
    throw new Error('the reply is too large');
  }
  const { text, status } = response;
  const items = parseItems(text);
  // A refused batch has at most one answer, in a form and with a status that the node chooses.
  if (count > 1 && items.length <= 1 && (status === 413 || SPEAKS_OF_SIZE.test(text))) return null;
  // Some nodes answer refused calls with HTTP 4xx and a JSON-RPC body. These statuses refuse us, and not the call.
  const refused = [401, 402, 403, 429].includes(status);
  const replies = matchReplies(items, firstId, count);
  if (!refused && status < 500 && replies.some(({ kind }) => kind !== 'unknown')) return replies;
  // A gateway may repeat the address of the request, so for other answers only the status is the reason.
  const isOk = status >= 200 && status < 300;
  throw new Error(isOk ? String(items[0]?.error?.message ?? 'no call was answered') : `HTTP ${status}`);
}

/**
 * Posts JSON, and follows no redirection. The text is null if there is too much of it. Not `fetch`, which takes twice
 * the processor time: an idle service asks its node every second.
 */
function postText(url: string, body: string, timeoutMs: number): Promise<{ status: number; text: string | null }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string | null }>();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'accept-encoding': 'gzip',
    'user-agent': 'quarters',
  };
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(timeoutMs);
  const outgoing = request(url, { method: 'POST', headers, signal }, (incoming) => {
    const status = incoming.statusCode!;
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_REPLY_BYTES) giveUp();
    };
    const giveUp = () => {
      resolve({ status, text: null });
      incoming.destroy();
    };
    if (Number(incoming.headers['content-length'] ?? 0) > MAX_REPLY_BYTES) giveUp();
    incoming.on('data', take).on('error', reject);
    incoming.on('end', () => {
      const whole = Buffer.concat(chunks);
      const plain =
        incoming.headers['content-encoding'] === 'gzip'
          ? gunzip(whole, { maxOutputLength: MAX_REPLY_BYTES })
          : Promise.resolve(whole);
      plain.then((bytes) => resolve({ status, text: bytes.toString() }), reject);
    });
  });
  outgoing.on('error', reject).end(body);
  return promise;
}

function parseItems(text: string): Item[] {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return [];
  }
}

/** Replies of a batch may come in any order, and some may be missing. */
function matchReplies(items: readonly Item[], firstId: number, count: number): RpcReply[] {
  const replies: RpcReply[] = Array.from({ length: count }, () => ({
    kind: 'unknown',
    reason: 'no reply to this call',
  }));
  for (const item of items) {
    if (typeof item?.id !== 'number') continue;
    const index = item.id - firstId;
    if (!replies[index]) continue;
    if (item.error) {
      replies[index] = {
        kind: 'error',
        code: Number(item.error.code ?? 0),
        message: String(item.error.message ?? 'unnamed error'),
        data: item.error.data,
      };
    } else if ('result' in item) {
      replies[index] = { kind: 'result', result: item.result };
    }
  }
  return replies;
}

/** A quantity in JSON-RPC's form (no leading zeros). */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
