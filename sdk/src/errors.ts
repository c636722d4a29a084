/** One fault of the input: where (a pointer into the body, or `query/…`, `path/…`) and what. */
export type InputFault = { readonly pointer: string; readonly detail: string };

type Answered = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults?: readonly InputFault[];
  readonly retryAfterSeconds?: number | undefined;
};

/**
 * The service said no: *this* call did nothing. After a {@link ConnectionError}, only an answer, or a refusal of the payment itself
 * (`insufficient-quarters`, `key-limit`, …), with the same key settles it. `overloaded`, `database-unavailable`, `payments-suspended`,
 * 401 and 429 do not. Keep the key and repeat.
 *
 * Decide on `code`, a stable word of the service's documentation; `message` is for people.
 */
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
 * We do not know whether the call was done. The answer was lost, came from a gateway, or was a 5xx other than `overloaded`,
 * `payments-suspended` and `database-unavailable`; and no later try, if there was one, settled it (`cause` is the last refusal that
 * did not). Repeat it with the same `idempotencyKey`; with a new key it may be done twice. What only reads has no effect: there the
 * last answer counts.
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
