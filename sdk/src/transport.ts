import { NOTHING_DECIDED, type ProblemCode } from './api.generated.ts';
import { ConnectionError, type InputFault, QuartersError } from './errors.ts';

/** How calls are made; every client takes these. */
export type TransportOptions = {
  /** How often a call is tried again; 3 unless given. */
  readonly retries?: number;
  /** Milliseconds one try may take; 10,000 unless given. */
  readonly timeoutMs?: number;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
};

/** What may be said of a single call. */
export type CallOptions = {
  readonly signal?: AbortSignal;
};

export type Call = CallOptions & {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From the origin on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>> | undefined;
  readonly bearer?: string | undefined;
  readonly body?: object | undefined;
  /** Equal keys are one call to the service: what makes it safe to try a POST again. */
  readonly idempotencyKey?: string | undefined;
  /** Seconds to wait for the chain before the answer (RFC 7240). */
  readonly waitSeconds?: number | undefined;
  /** Whether trying again does no harm; what has an idempotency key, and what only reads, unless said otherwise. */
  readonly repeatable?: boolean;
  /** Milliseconds after the first try beyond which no other begins; no end unless given. */
  readonly repeatableForMs?: number;
  /** Whether an earlier try, of which nothing is known, may have done it. */
  readonly unsure?: boolean;
};

export type Transport = <T>(call: Call) => Promise<T>;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Who calls is judged before the idempotency key is looked up: these say nothing of an earlier try. */
const JUDGED_BEFORE_THE_KEY: readonly string[] = [
  'token-missing',
  'token-invalid',
  'token-expired',
  'credential-not-allowed',
  'insufficient-scope',
] satisfies ProblemCode[];

/**
 * Calls one origin of the service. Tries again with growing, random pauses (or as long as `Retry-After` says) where that can do
 * no harm. The call rejects with {@link QuartersError} or {@link ConnectionError}; what `signal` says is thrown as it is.
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
        // A credential goes to the address it was meant for, and to no other.
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      text = await response.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new ConnectionError(`${method} ${call.path}: no answer`, { cause: error });
    }
    if (response.status === 204) return undefined as T;
    const answer = parsed(text);
    if (response.ok && answer !== undefined) return answer as T;
    throw refusal(call, response, answer);
  }

  return async (call) => {
    const repeatable = call.repeatable ?? (call.method === 'GET' || call.idempotencyKey !== undefined);
    // The clock and not a stopwatch, which may stand still while a device sleeps.
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

/** A problem of ours (RFC 9457), or OAuth's own form at its endpoints (RFC 6749, section 5.2). Else something in between has answered. */
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

/** A refusal that says when to come again is worth another try too: none is kept under an idempotency key. */
function isWorthAnotherTry(error: QuartersError | ConnectionError): boolean {
  const { retryAfterSeconds } = error;
  const mayChange = error instanceof ConnectionError || isPutOff(error) || retryAfterSeconds !== undefined;
  // A limit that ends at midnight is the caller's to wait for.
  return mayChange && (retryAfterSeconds ?? 0) * 1000 <= LONGEST_PAUSE_MS;
}

/** A busy service, a fault, too many calls: no answer to the call. */
function isPutOff(error: QuartersError | ConnectionError): boolean {
  return error instanceof QuartersError && (error.status >= 500 || error.status === 429 || error.status === 408);
}

/** A refusal that settles nothing where an earlier try may have been done: the service is busy now, or does not let the caller in. */
function saysNothingOfBefore(error: QuartersError | ConnectionError): error is QuartersError {
  return isPutOff(error) || (error instanceof QuartersError && JUDGED_BEFORE_THE_KEY.includes(error.code));
}

/**
 * Whether the call may have had its effect in spite of this. A fault of the service says nothing of that, also one this version does not know, unless its
 * code is among those after which nothing was done. OAuth's errors are of calls that move nothing.
 */
function leavesUnsure({ method, path }: Call, error: QuartersError | ConnectionError): boolean {
  if (method === 'GET') return false;
  if (error instanceof ConnectionError) return true;
  return error.status >= 500 && !NOTHING_DECIDED.includes(error.code) && !path.startsWith('/v1/oauth/');
}

/** Random, so that callers who were turned away together do not come back together. */
function pauseMs(tries: number, { retryAfterSeconds = 0 }: QuartersError | ConnectionError): number {
  const growing = FIRST_PAUSE_MS * 2 ** tries * (0.5 + Math.random());
  return Math.max(Math.min(growing, LONGEST_PAUSE_MS), retryAfterSeconds * 1000);
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
