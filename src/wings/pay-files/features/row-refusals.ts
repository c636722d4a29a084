import { Problem, type ProblemCode } from '../../../base/problems.ts';

/**
 * What a refusal means for a row of a file.
 *
 * `row`: something is wrong with the row, and the file has to be corrected. The other rows are paid. `passing`: it passes by itself, so the
 * row is tried again for a while. `run`: it concerns every row, and waiting does not help, so the run stops. Only `row` is a fault of the file.
 */
type RefusalKind = 'row' | 'passing' | 'run';

/** Every code has its place. A new one fails the test of this table until somebody has decided what it means here. */
export const REFUSALS_OF_ROWS = {
  'invalid-input': 'row',
  'recipient-mismatch': 'row',
  'amount-too-large': 'row',
  'not-found': 'row',
  'account-closed': 'row',
  'idempotency-mismatch': 'row',

  'request-timeout': 'passing',
  'quarters-unconfirmed': 'passing',
  'rate-limited': 'passing',
  'app-backlog-full': 'passing',
  'outcome-unknown': 'passing',
  overloaded: 'passing',
  'chain-unavailable': 'passing',
  'database-unavailable': 'passing',

  // These pass too, but not within the time that a command waits.
  'payments-suspended': 'run',
  'too-many-tries': 'run',
  'guest-limit': 'run',

  'insufficient-quarters': 'run',
  'app-suspended': 'run',
  'account-frozen': 'run',
  internal: 'run',

  // No row of a file gets one of these. If one does, the file is not to blame.
  'malformed-json': 'run',
  'token-missing': 'run',
  'token-invalid': 'run',
  'token-expired': 'run',
  'credential-not-allowed': 'run',
  'insufficient-scope': 'run',
  'key-limit': 'run',
  'role-not-allowed': 'run',
  'app-mismatch': 'run',
  'confirmation-needed': 'run',
  'auto-approve-not-enabled': 'run',
  'auto-approve-not-granted': 'run',
  'auto-approve-limit': 'run',
  archived: 'run',
  'method-not-allowed': 'run',
  'request-decided': 'run',
  'not-refundable': 'run',
  'refund-too-large': 'run',
  'limit-reached': 'run',
  'body-too-large': 'run',
  'headers-too-large': 'run',
  'unsupported-media-type': 'run',
} as const satisfies Record<ProblemCode, RefusalKind>;

export function isFaultOfRow(error: unknown): error is Problem {
  return error instanceof Problem && REFUSALS_OF_ROWS[error.code] === 'row';
}

export function isPassing(error: unknown): error is Problem {
  return error instanceof Problem && REFUSALS_OF_ROWS[error.code] === 'passing';
}
