/**
 * The one registry of errors a caller can meet: code → HTTP status and title (RFC 9457 problem details).
 *
 * `nothingDecided` marks the 5xx codes after which the call has certainly moved nothing. After every other 5xx a call that moves money
 * may have been done.
 */
export const PROBLEMS = {
  'invalid-input': { status: 400, title: 'The input is not valid' },
  'malformed-json': { status: 400, title: 'The body is not JSON' },
  'recipient-mismatch': { status: 400, title: 'User and address name different accounts' },
  'amount-too-large': { status: 400, title: 'The amount is above what this service allows' },
  'token-missing': { status: 401, title: 'A credential is missing' },
  'token-invalid': { status: 401, title: 'The credential is not valid' },
  'token-expired': { status: 401, title: 'The credential has expired' },
  'insufficient-quarters': { status: 402, title: 'Not enough quarters' },
  'credential-not-allowed': { status: 403, title: 'This kind of credential can not be used here' },
  'insufficient-scope': { status: 403, title: 'The credential may not do this' },
  'key-limit': { status: 403, title: "The server API key's daily limit is reached" },
  'app-mismatch': { status: 403, title: 'The credential belongs to another app' },
  'confirmation-needed': { status: 403, title: 'The player has to prove once more who they are' },
  'auto-approve-not-enabled': { status: 403, title: 'The app is not enabled for auto approval' },
  'auto-approve-not-granted': { status: 403, title: 'The user has not allowed this app to approve by itself' },
  'auto-approve-limit': { status: 403, title: "The amount is beyond the user's standing approval" },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'request-decided': { status: 409, title: 'The request has been decided already' },
  'not-refundable': { status: 409, title: 'There is nothing paid that could be refunded' },
  'quarters-unconfirmed': { status: 409, title: 'The quarters are being confirmed again' },
  'refund-too-large': { status: 409, title: 'More than is left of the payment' },
  'account-closed': { status: 409, title: 'The account is closed' },
  'limit-reached': { status: 409, title: 'There are as many as allowed already' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key was used for another body' },
  'headers-too-large': { status: 431, title: 'The address or the headers are too large' },
  'rate-limited': { status: 429, title: 'Too many calls' },
  'too-many-tries': { status: 429, title: 'Too many tries' },
  'guest-limit': { status: 429, title: "The app's guests for today are used up" },
  'app-backlog-full': { status: 429, title: "Too many of the app's transfers are on their way" },
  'unsupported-media-type': { status: 415, title: 'The content type is not supported' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  'outcome-unknown': { status: 503, title: 'It is not known yet whether this was done' },
  overloaded: { status: 503, title: 'The service is busy', nothingDecided: true },
  'payments-suspended': {
    status: 503,
    title: 'Payments are stopped until the operator has looked',
    nothingDecided: true,
  },
  'chain-unavailable': { status: 503, title: 'The chain can not be reached' },
  'database-unavailable': { status: 503, title: 'The database is not available', nothingDecided: true },
} as const satisfies Record<string, { status: number; title: string; nothingDecided?: true }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One fault of the input: where (RFC 6901 pointer into the body, or `query/…`, `path/…`) and what. */
export type InputFault = { pointer: string; detail: string };

/** The only error that reaches a caller with its own text; everything else becomes `internal`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly faults: readonly InputFault[];

  /** `detail`: one readable sentence, fit for the caller's eyes. */
  constructor(code: ProblemCode, detail: string, faults: readonly InputFault[] = []) {
    super(detail);
    this.code = code;
    this.faults = faults;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** A single fault of the input. `detail` finishes "the field …". */
export function invalidInput(pointer: string, detail: string): Problem {
  return new Problem('invalid-input', `${fieldName(pointer)} ${detail}.`, [{ pointer, detail }]);
}

/** `/transfers/0/amount` → `transfers[0].amount`; the body itself, the path → `The body`, `The path`. */
export function fieldName(pointer: string): string {
  if (!pointer.includes('/')) return `The ${pointer || 'body'}`;
  const [, ...parts] = pointer.split('/');
  return parts.join('.').replaceAll(/\.(\d+)/g, '[$1]');
}
