import { NOTHING_DECIDED, type ProblemCode } from './api.generated.ts';
import { ConnectionError, type InputFault, QuartersError } from './errors.ts';

/** How calls are made. Every client has these options. */
export type TransportOptions = {
  /** How often a call is retried; 3 by default. */
  readonly retries?: number;
  /** Milliseconds that one attempt may take; 10,000 by default. */
  readonly timeoutMs?: number;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

/** Options of a single call. */
export type CallOptions = {
  readonly signal?: AbortSignal;
};

export type Call = CallOptions & {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path, from the origin. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
  readonly bearer?: string | undefined;
  readonly body?: object | undefined;
  /** The service treats calls with the same key as one call, which makes it safe to retry a POST. */
  readonly idempotencyKey?: string | undefined;
  /** Seconds to wait for the chain before the response (RFC 7240). */
  readonly waitSeconds?: number | undefined;
  /** Whether a retry is safe. By default: calls with an idempotency key, and calls that only read. */
  readonly repeatable?: boolean;
  /** Milliseconds after the first attempt in which a retry may start; no limit by default. */
  readonly repeatableForMs?: number;
  /** Whether an earlier attempt with an unknown outcome may have succeeded. */
  readonly unsure?: boolean;
};

export type Transport = <T>(call: Call) => Promise<T>;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/**
 * What may be sent as the value of a header (RFC 9110, section 5.5): visible ASCII, and spaces in between. Anything else is left out, cut or
 * translated on the way, and then two calls with one key are two.
 */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
const LONGEST_KEY = 255;

/** Throws a TypeError before anything is sent. It does not repeat the value, which may be a secret. */
function assertSendable({ idempotencyKey, bearer }: Call): void {
  if (idempotencyKey !== undefined && !(HEADER_VALUE.test(idempotencyKey) && idempotencyKey.length <= LONGEST_KEY))
    throw new TypeError('idempotencyKey: 1 to 255 visible ASCII characters, with spaces only in between');
  if (bearer !== undefined && !HEADER_VALUE.test(bearer))
    throw new TypeError('A credential is visible ASCII. Look for a line break at its end.');
}

/** The caller is checked before the idempotency key is looked up, so these say nothing about an earlier attempt. */
const JUDGED_BEFORE_THE_KEY: readonly string[] = [
  'token-missing',
  'token-invalid',
  'token-expired',
  'credential-not-allowed',
  'insufficient-scope',
] satisfies ProblemCode[];

/**
 * Calls one origin of the service. Retries, where that is safe, with growing, random pauses (or those of `Retry-After`). The call
 * rejects with {@link QuartersError} or {@link ConnectionError}, and with a TypeError if its key or credential cannot be sent. The reason of
 * `signal` is thrown unchanged.
 */
export function transport(
  origin: string,
  { retries = 3, timeoutMs = 10_000, fetch = globalThis.fetch }: TransportOptions,
): Transport {
  const base = new URL(origin).origin;

  async function once<T>(call: Call): Promise<T> {
    const { method, bearer, body, idempotencyKey, waitSeconds, signal } = call;
    const limit = AbortSignal.timeout(timeoutMs + (waitSeconds ?? 0) * 1000);
    let response: Response;
    let text: string;
    try {
      response = await fetch(address(base, call), {
        method,
        headers: {
          accept: 'application/json',
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // A credential is sent only to the address it is meant for.
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`${method} ${call.path}: no response`, { cause: error });
    }
    if (response.status === 204) return undefined as T;
    const answer = parsed(text);
    if (response.ok && answer !== undefined) return answer as T;
    throw refusal(call, response, answer);
  }

  return async (call) => {
    assertSendable(call);
    const repeatable = call.repeatable ?? (call.method === 'GET' || call.idempotencyKey !== undefined);
    // The wall clock: a monotonic clock may stand still while a device sleeps.
    const end = Date.now() + (call.repeatableForMs ?? Number.POSITIVE_INFINITY);
    let unsure = call.unsure ?? false;
    for (let tries = 0; ; tries++) {
      try {
        return await once(call);
      } catch (error) {
        if (!(error instanceof QuartersError || error instanceof ConnectionError)) throw error;
        unsure ||= leavesUnsure(call, error);
        if (repeatable && tries < retries && isWorthAnotherTry(error)) {
          await pause(pauseMs(tries, error), call.signal);
          if (Date.now() <= end) continue;
        }
        throw unsure && saysNothingOfBefore(error) ? notKnown(call, error) : error;
      }
    }
  };
}

function address(base: string, { path, query = {} }: Call): string {
  const url = new URL(base + path);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.href;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a problem (RFC 9457), or an error of the OAuth endpoints (RFC 6749, section 5.2). Anything else came from a proxy. */
function refusal({ method, path }: Call, response: Response, answer: unknown): QuartersError | ConnectionError {
  const { status, headers } = response;
  const { type, code, message, errors, error, error_description } = { ...(answer as Record<string, unknown>) };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  const isProblem = type === `urn:quarters:problem:${code}`;
  if (!isProblem && !(path.startsWith('/v1/oauth/') && typeof error === 'string'))
    return new ConnectionError(`${method} ${path}: something in between answered ${status}`, { retryAfterSeconds });
  return new QuartersError({
    status,
    code: String(isProblem ? code : error),
    message: String(message ?? error_description ?? `The service answered ${status}.`),
    faults: Array.isArray(errors) ? (errors as InputFault[]) : [],
    retryAfterSeconds,
  });
}

function notKnown({ method, path }: Call, last: QuartersError): ConnectionError {
  const message = `${method} ${path}: it is not known whether it was done; the last answer was ${last.code}`;
  return new ConnectionError(message, { cause: last, retryAfterSeconds: last.retryAfterSeconds });
}

/** A refusal that says when to retry is retried too: no refusal is stored under an idempotency key. */
function isWorthAnotherTry(error: QuartersError | ConnectionError): boolean {
  const { retryAfterSeconds } = error;
  const mayChange = error instanceof ConnectionError || isPutOff(error) || retryAfterSeconds !== undefined;
  // A limit that ends at midnight is left to the caller.
  return mayChange && (retryAfterSeconds ?? 0) * 1000 <= LONGEST_PAUSE_MS;
}

/** A busy service, a fault or too many calls: the call was not answered. */
function isPutOff(error: QuartersError | ConnectionError): boolean {
  return error instanceof QuartersError && (error.status >= 500 || error.status === 429 || error.status === 408);
}

/** A refusal that does not settle an earlier attempt: the service is busy, or does not accept the caller. */
function saysNothingOfBefore(error: QuartersError | ConnectionError): error is QuartersError {
  return isPutOff(error) || (error instanceof QuartersError && JUDGED_BEFORE_THE_KEY.includes(error.code));
}

/**
 * Whether the call may have taken effect despite this refusal. After a fault of the service, even an unknown one, it may have, unless
 * the code means that nothing was done. OAuth's errors come from calls that move nothing.
 */
function leavesUnsure({ method, path }: Call, error: QuartersError | ConnectionError): boolean {
  if (method === 'GET') return false;
  if (error instanceof ConnectionError) return true;
  return error.status >= 500 && !NOTHING_DECIDED.includes(error.code) && !path.startsWith('/v1/oauth/');
}

/** Random, so that callers who were refused together do not retry together, not even those who were told the same whole second. */
function pauseMs(tries: number, { retryAfterSeconds = 0 }: QuartersError | ConnectionError): number {
  const random = Math.random();
  const growing = Math.min(FIRST_PAUSE_MS * 2 ** tries * (0.5 + random), LONGEST_PAUSE_MS);
  return retryAfterSeconds > 0 ? Math.max(growing, (retryAfterSeconds + random) * 1000) : growing;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
