/** One fault of the input: its place (a pointer into the body, or `query/…`, `path/…`) and what is wrong. */
export type InputFault = { readonly pointer: string; readonly detail: string };

type Answered = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly faults?: readonly InputFault[];
  readonly retryAfterSeconds?: number | undefined;
};

/**
 * The service refused: *this* call did nothing. After a {@link ConnectionError}, only a success, or a refusal of the payment itself
 * (`insufficient-quarters`, `key-limit`, …), with the same key settles the outcome. `overloaded`, `database-unavailable`,
 * `payments-suspended`, 401 and 429 do not: keep the key and repeat.
 *
 * Handle errors by `code`, which is documented and stable. `message` is for people.
 */
export class QuartersError extends Error {
  override readonly name = 'QuartersError';
  readonly status: number;
  readonly code: string;
  /** For `invalid-input`: what is wrong and where. */
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
 * It is unknown whether the call was done. The response was lost, came from a gateway, or was a 5xx other than `overloaded`,
 * `payments-suspended` and `database-unavailable`, and no retry settled it (`cause` is the last refusal that did not). Repeat the
 * call with the same `idempotencyKey`: with a new key it may be done twice. Calls that only read have no effect: for them the last
 * response counts.
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

/** A webhook, a signed result or an OAuth response is not genuine: its check failed. */
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
}
