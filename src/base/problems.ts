/**
 * The registry of all errors that callers see: code → HTTP status and title (RFC 9457 problem details).
 *
 * `nothingDecided` marks the 5xx codes that mean the call has certainly moved nothing. After any other 5xx, a call that
 * moves money may have been done.
 */
export const PROBLEMS = {
  'invalid-input': { status: 400, title: 'The input is not valid' },
  'malformed-json': { status: 400, title: 'The body is not JSON' },
  'recipient-mismatch': { status: 400, title: 'User and address name different accounts' },
  'amount-too-large': { status: 400, title: 'The amount is above the limit of this service' },
  'token-missing': { status: 401, title: 'A credential is missing' },
  'token-invalid': { status: 401, title: 'The credential is not valid' },
  'token-expired': { status: 401, title: 'The credential has expired' },
  'insufficient-quarters': { status: 402, title: 'Not enough quarters' },
  'credential-not-allowed': { status: 403, title: 'This kind of credential cannot be used here' },
  'insufficient-scope': { status: 403, title: 'The credential lacks a scope for this' },
  'key-limit': { status: 403, title: "The server API key's daily limit is reached" },
  'role-not-allowed': { status: 403, title: 'Your role in the app does not allow this' },
  'app-mismatch': { status: 403, title: 'The credential belongs to another app' },
  'confirmation-needed': { status: 403, title: 'The player must confirm who they are' },
  'auto-approve-not-enabled': { status: 403, title: 'The app is not enabled for auto approval' },
  'auto-approve-not-granted': { status: 403, title: 'The user has set no spending limit for this app' },
  'auto-approve-limit': { status: 403, title: "The amount is above the user's spending limit" },
  'account-frozen': { status: 403, title: 'The account is frozen' },
  'app-suspended': { status: 403, title: 'The app is suspended' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  'request-decided': { status: 409, title: 'The request is already decided' },
  'not-refundable': { status: 409, title: 'There is no payment to refund' },
  'quarters-unconfirmed': { status: 409, title: 'The quarters are being confirmed again' },
  'refund-too-large': { status: 409, title: 'The refund is more than what is left of the payment' },
  'account-closed': { status: 409, title: 'The account is closed' },
  'limit-reached': { status: 409, title: 'The maximum number is reached' },
  archived: { status: 410, title: 'Payments of that time are archived' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key was used with another body' },
  'headers-too-large': { status: 431, title: 'The address or the headers are too large' },
  'rate-limited': { status: 429, title: 'Too many calls' },
  'too-many-tries': { status: 429, title: 'Too many attempts' },
  'guest-limit': { status: 429, title: 'The app has reached its guest limit for today' },
  'app-backlog-full': { status: 429, title: 'The app has too many pending transfers' },
  'unsupported-media-type': { status: 415, title: 'The content type is not supported' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  'outcome-unknown': { status: 503, title: 'We cannot tell yet whether this was done' },
  overloaded: { status: 503, title: 'The service is busy', nothingDecided: true },
  'payments-suspended': {
    status: 503,
    title: 'Payments are suspended for now',
    nothingDecided: true,
  },
  'chain-unavailable': { status: 503, title: 'The chain cannot be reached' },
  'database-unavailable': { status: 503, title: 'The database is not available', nothingDecided: true },
} as const satisfies Record<string, { status: number; title: string; nothingDecided?: true }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Why somebody on a page is refused. The page says it in their language: `words.reasons` has a sentence for each. */
export type ReasonCode =
  | 'email-missing'
  | 'email-too-long'
  | 'email-malformed'
  | 'email-unchanged'
  | 'name-unusable'
  | 'password-too-short'
  | 'password-too-long'
  | 'password-own'
  | 'password-common'
  | 'password-wrong'
  | 'passkey-late'
  | 'passkey-unverified'
  | 'passkey-not-added'
  | 'passkey-not-theirs'
  | 'code-needed'
  | 'passkey-young'
  | 'passkey-needed'
  | 'limit-out-of-range'
  | 'limit-above-day'
  | 'amount-unusable'
  | 'address-unusable'
  | 'address-elsewhere'
  | 'address-more'
  | 'address-ours'
  | 'address-known'
  | 'addresses-full'
  | 'address-not-ready'
  | 'withdrawal-above-free'
  | 'withdrawal-above-day'
  | 'withdrawal-above-all'
  | 'withdrawal-stale'
  | 'wait'
  | 'wait-minutes'
  | 'wait-up-to-an-hour'
  | 'wait-up-to-a-day'
  | 'too-many-streams';

/** `number`, `names`: those that the sentence has. `otherWays`: something else than waiting helps, too. */
export type PageReason = {
  readonly code: ReasonCode;
  readonly number?: number | bigint;
  readonly names?: readonly string[];
  readonly otherWays?: true;
};

/**
 * One fault of the input. `pointer` says where: an RFC 6901 pointer into the body, or `query/…`, `path/…`. `detail` is for programs.
 * `reason`: the same for people, if a page asked for the input.
 */
export type InputFault = { pointer: string; detail: string; reason?: PageReason };

/** The only error whose text reaches the caller. Every other error becomes `internal`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly faults: readonly InputFault[];
  /** What a page says of it, if it says more than of every problem with this code. */
  readonly reason: PageReason | undefined;
  /** Seconds until a retry makes sense. Undefined if waiting changes nothing. */
  readonly retryAfter: number | undefined;

  /** `detail` is one sentence for the caller. */
  constructor(
    code: ProblemCode,
    detail: string,
    faults: readonly InputFault[] = [],
    reason?: PageReason,
    retryAfter = retryAfterSeconds(code),
  ) {
    super(detail);
    this.code = code;
    this.faults = faults;
    this.reason = reason;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The longest `Retry-After` of {@link refusalOfMany}, in seconds: clients wait no longer by themselves. */
const LONGEST_SPREAD_SECONDS = 10;

/**
 * A refusal that many callers get at once. It is made beforehand, because a stack costs more than all else that is done for such a caller.
 * Each is told to come back after another number of seconds, at random, up to `seconds`.
 */
export function refusalOfMany(code: ProblemCode, detail: string): (seconds: number) => Problem {
  const made = Array.from(
    { length: LONGEST_SPREAD_SECONDS },
    (_, i) => new Problem(code, detail, [], undefined, i + 1),
  );
  return (seconds) => {
    const most = Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_SPREAD_SECONDS);
    return made[Math.floor(Math.random() * most)]!;
  };
}

/** Makes a problem of one fault of the input. `detail` completes the sentence "the field …". */
export function invalidInput(pointer: string, detail: string): Problem {
  return new Problem('invalid-input', `${fieldName(pointer)} ${detail}.`, [{ pointer, detail }]);
}

/** Refuses what somebody has typed on a page. */
export function refusedEntry(...entries: readonly (readonly [pointer: string, reason: PageReason])[]): Problem {
  const faults = entries.map(([pointer, reason]) => ({ pointer, detail: reason.code, reason }));
  return new Problem('invalid-input', faults.map(({ detail }) => detail).join(', '), faults);
}

/** Names a field for people: `/transfers/0/amount` → `transfers[0].amount`. The body itself becomes `The body`. */
export function fieldName(pointer: string): string {
  if (!pointer.includes('/')) return `The ${pointer || 'body'}`;
  const [, ...parts] = pointer.split('/');
  return parts.join('.').replaceAll(/\.(\d+)/g, '[$1]');
}

/** How many faulty fields are named, and how long the list of them may be. */
const MOST_NAMED = 5;
const LONGEST_NAMES = 200;

/**
 * The names of the fields that a problem is about, such as `amount, transfers[0].user`; empty if it names none. Pointers are made of the
 * names in our schemas, so they hold nothing that the caller has sent.
 */
export function faultyFields({ faults }: Pick<Problem, 'faults'>): string {
  const names = [...new Set(faults.map(({ pointer }) => (pointer === '' ? 'body' : fieldName(pointer))))];
  const more = names.length > MOST_NAMED ? ', …' : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`.slice(0, LONGEST_NAMES);
}

/** Without `outcome-unknown`: a caller who repeats such a call without an Idempotency-Key may do it twice. */
const SECONDS: Partial<Record<ProblemCode, () => number>> = {
  'rate-limited': () => 1,
  overloaded: () => 1,
  'app-backlog-full': () => 1,
  'quarters-unconfirmed': () => 5,
  'payments-suspended': () => 60,
  'chain-unavailable': () => 5,
  'database-unavailable': () => 5,
  'guest-limit': secondsUntilMidnight,
};

const DAY_SECONDS = 86_400;

/** In UTC, because the database counts days in UTC. */
function secondsUntilMidnight(): number {
  return DAY_SECONDS - (Math.floor(Date.now() / 1000) % DAY_SECONDS);
}

/** Seconds until a retry makes sense, for `Retry-After`. Undefined if waiting changes nothing. */
export function retryAfterSeconds(code: ProblemCode): number | undefined {
  return SECONDS[code]?.();
}
