/** One fault of the input: where (a pointer into the body, or `query/…`, `path/…`) and what. */
export type InputFault = { readonly pointer: string; readonly detail: string };

type Answered = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults?: readonly InputFault[];
  readonly retryAfterSeconds?: number | undefined;
};

/** The service said no. Decide on `code`, a stable word of the service's documentation; `message` is for people. */
export class QuartersError extends Error {
  override readonly name = 'QuartersError';
  readonly status: number;
  readonly code: string;
  /** For `invalid-input`: what is wrong, and where. */
  readonly faults: readonly InputFault[];
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, code, message, faults = [], retryAfterSeconds }: Answered) {
    super(message);
    this.status = status;
    this.code = code;
    this.faults = faults;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * It is not known whether the call had its effect: no answer came, or one of something in between, or the service had a fault in the middle of it (5xx,
 * but for the codes after which nothing was done), and later tries, if there were any, were but put off (429, 5xx; `cause` is the last of that).
 * Repeating the call with the same `idempotencyKey` finds out without doing it twice. What only reads has no effect: there the last answer counts.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** What came is not what it pretends to be: a webhook, a signed result or an OAuth answer that fails its check. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}
