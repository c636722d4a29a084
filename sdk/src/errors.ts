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
 * No usable answer came, however often it was tried: whether the call had its effect is not known. Repeating it with the same
 * `idempotencyKey` finds out without doing it twice.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** What came is not what it pretends to be: a webhook, a signed result or an OAuth answer that fails its check. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}
