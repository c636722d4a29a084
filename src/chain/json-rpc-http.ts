import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback } from 'node:zlib';
import type { Reading } from './block-replies.ts';
import { readInThread } from './read-in-thread.ts';

/** `reading`: what the result is to be read as, if it is a large one ({@link ReadReply}). */
export type RpcCall = { readonly method: string; readonly params: readonly unknown[]; readonly reading?: Reading };

/** `unknown`: no usable answer came, so the node may or may not have executed the call. */
export type RpcReply =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly data?: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

const gunzip = promisify(gunzipCallback);
const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/**
 * Of a batch. anvil takes 2 MB and Geth 5, and what is above may be refused without a word about its size, or with a closed connection. A
 * hundred transactions of fifty transfers each have 4.
 */
const MAX_BATCH_BYTES = 1024 * 1024;
const SPEAKS_OF_SIZE = /batch|too (large|big)|request too long/i;
/** Too Many Requests, and what some gateways say instead. */
const LIMITED = [408, 429];
/** Statuses that refuse us, and not the call. */
const REFUSED = [401, 402, 403, ...LIMITED];

type Item = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
} | null;

type Bare = { readonly code?: unknown; readonly message?: unknown };

/** None of the calls was answered. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  /** `limited`: the endpoint takes no more of us for now. `silent`: no answer came in time. */
  readonly because: 'limited' | 'silent' | 'other';
  /** What the endpoint asks for, in milliseconds; null if it does not say. */
  readonly retryAfterMs: number | null;
  constructor(reason: string, because: Unanswered['because'] = 'other', retryAfterMs: number | null = null) {
    super(reason);
    this.because = because;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * One HTTP request for these calls, numbered from `firstId`, with a reply for each; null if they are too many or too long
 * for one request, as far as the endpoint says so. One call is no batch: some gateways take none. Throws {@link Unanswered} if none is
 * answered.
 */
export async function postCalls(
  url: string,
  calls: readonly RpcCall[],
  firstId: number,
  timeoutMs: number,
): Promise<RpcReply[] | null> {
  const isBatch = calls.length > 1;
  const numbered = calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params }));
  const body = JSON.stringify(isBatch ? numbered : numbered[0]);
  if (isBatch && body.length > MAX_BATCH_BYTES) return null;
  const response = await postJson(url, body, timeoutMs).catch((error: NodeJS.ErrnoException) => {
    // An abort hides its reason in `cause`; a refused connection may have a code only. The endpoint's address may hold a
    // key, so it is not repeated.
    const reason = (error.cause as Error | undefined)?.message || error.message || String(error.code);
    throw new Unanswered(reason, error.name === 'AbortError' ? 'silent' : 'other');
  });
  if (response.bytes === null) {
    if (isBatch) return null;
    throw new Unanswered('the reply is too large');
  }
  const { bytes, status } = response;
  const reading = !isBatch && status === 200 && calls[0]?.reading;
  const read = reading && (await readInThread(bytes, firstId, reading));
  if (read) return [{ kind: 'result', result: read }];
  const text = bytes.toString();
  const items = parseItems(text);
  const isLimited = LIMITED.includes(status) || items.some((item) => item?.error && speaksOfRate(item.error));
  // A batch is refused in a form and with a status that the node chooses: as a whole, or with the same error for each call.
  const isWhole =
    items.length <= 1 || items.every((item) => item?.error && SPEAKS_OF_SIZE.test(String(item.error.message)));
  if (isBatch && isWhole && !isLimited && (status === 413 || SPEAKS_OF_SIZE.test(text))) return null;
  // Some nodes answer refused calls with HTTP 4xx and a JSON-RPC body.
  const replies = matchReplies(items, firstId, calls);
  if (!REFUSED.includes(status) && status < 500 && replies.some(({ kind }) => kind !== 'unknown')) return replies;
  // A gateway may repeat the address of the request, so for other answers only the status is the reason.
  const isOk = status >= 200 && status < 300;
  const reason = isOk ? String(items[0]?.error?.message ?? 'no call was answered') : `HTTP ${status}`;
  throw new Unanswered(reason, isLimited ? 'limited' : 'other', response.retryAfterMs ?? backoffOf(items[0]));
}

/** Says that we ask too often. A limit on the size of one answer is worded much alike, and is another matter. */
const RATE =
  /too many requests?\b|rate.?limit|request rate|(?:per|\/) ?(?:second|sec|minute|day)\b|throughput|compute units|daily (?:request|limit|quota)|request limit|quota exceeded/i;
/** Of `eth_getLogs`: a smaller range of blocks is answered. */
const SPEAKS_OF_RANGE = /block range|returned more than|results|response size|blocks? /i;

function speaksOfRate(error: { readonly code?: unknown; readonly message?: unknown }): boolean {
  const message = String(error.message ?? '');
  return (Number(error.code) === 429 || RATE.test(message)) && !SPEAKS_OF_RANGE.test(message);
}

/** Infura says in the error how long to wait. */
function backoffOf(item: Item | undefined): number | null {
  const data = item?.error?.data as { readonly rate?: { readonly backoff_seconds?: unknown } } | null | undefined;
  const seconds = Number(data?.rate?.backoff_seconds);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

type Response = { readonly status: number; readonly bytes: Buffer | null; readonly retryAfterMs: number | null };

/**
 * Posts JSON, and follows no redirection. The bytes are null if there is too much of it. Not `fetch`, which takes twice
 * the processor time: an idle service asks its node every second.
 */
function postJson(url: string, body: string, timeoutMs: number): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
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
    const retryAfterMs = readRetryAfter(incoming.headers['retry-after']);
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_REPLY_BYTES) giveUp();
    };
    const giveUp = () => {
      resolve({ status, bytes: null, retryAfterMs });
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
      plain.then((bytes) => resolve({ status, bytes, retryAfterMs }), reject);
    });
  });
  outgoing.on('error', reject).end(body);
  return promise;
}

/** Seconds, or a date (RFC 9110, section 10.2.3); null without a usable one. */
function readRetryAfter(header: string | undefined): number | null {
  if (header === undefined) return null;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null;
}

/** Some gateways give an error alone, outside of an answer. */
function parseItems(text: string): Item[] {
  try {
    const items = [JSON.parse(text)].flat() as (Item & Bare)[];
    return items.map((item) =>
      item && typeof item.code === 'number' && item.message ? { ...item, error: item } : item,
    );
  } catch {
    return [];
  }
}

const isId = (id: unknown): boolean => typeof id === 'number' || (typeof id === 'string' && /^\d+$/.test(id));

/**
 * Replies of a batch may come in any order, and some may be missing. A call refused for our rate was not executed. Some gateways give ids
 * back as texts.
 */
function matchReplies(items: readonly Item[], firstId: number, calls: readonly RpcCall[]): RpcReply[] {
  const replies: RpcReply[] = calls.map(() => ({ kind: 'unknown', reason: 'no reply to this call' }));
  for (const item of items) {
    if (!item) continue;
    const index = isId(item.id) ? Number(item.id) - firstId : -1;
    if (!replies[index]) continue;
    if (item.error) {
      const message = String(item.error.message ?? 'unnamed error');
      replies[index] = speaksOfRate(item.error)
        ? { kind: 'unknown', reason: message }
        : { kind: 'error', code: Number(item.error.code ?? 0), message, data: item.error.data };
    } else if ('result' in item) {
      replies[index] = { kind: 'result', result: item.result };
    }
  }
  return replies;
}
