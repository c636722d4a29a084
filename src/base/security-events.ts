/** The level in the log; null: the event is counted and not logged, as there may be thousands a second. */
type Level = 'info' | 'warn' | null;

/**
 * What is worth knowing to whoever watches over an installation (OWASP ASVS 4.0, V7.1 and V7.2): name → level and meaning.
 * `what` in a meaning is the field of that name in the line. Names are public: alarms are set on them.
 */
export const SECURITY_EVENTS = {
  'access-granted': { level: 'info', help: 'a player let an app act for them' },
  'access-withdrawn': {
    level: 'info',
    help: 'a player took back what they let an app do; `what`: `all`, or `standing` approval alone',
  },
  'account-closed': { level: 'info', help: 'a player closed their account' },
  'account-created': { level: 'info', help: 'somebody signed up' },
  'app-changed': { level: 'info', help: 'what is registered of an app; `what`: `details`, `picture`, `owner`' },
  'app-registered': { level: 'info', help: 'a new app, with its first keys' },
  'app-unverified': { level: 'info', help: 'players are no longer told that you know who is behind the app' },
  'app-verified': { level: 'info', help: 'players are told that you know who is behind the app' },
  'auto-approval-disabled': { level: 'info', help: 'the app has to ask each time again' },
  'auto-approval-enabled': { level: 'info', help: 'players may let the app take quarters without asking' },
  'client-denied': {
    level: 'warn',
    help: 'OAuth: no app has this id and secret; `what`: the endpoint. `appId`: which app it claimed to be, where there is such a one',
  },
  'code-failed': { level: 'warn', help: 'a code sent by mail was wrong, spent or expired; `what`: what it was for' },
  'code-replayed': {
    level: 'warn',
    help: 'an authorization code came a second time: what came of the first was ended',
  },
  'code-sent': {
    level: 'info',
    help: 'a code was mailed; `what`: what it is for. With `reset` and no `userId`, the mail says that there is no account',
  },
  'credential-denied': {
    level: 'warn',
    help: 'the API refused a credential (401, 403) that is not merely missing or expired; `what`: its kind and the problem’s code',
  },
  'email-changed': { level: 'info', help: 'a player has another e-mail address' },
  'foreign-form': { level: 'warn', help: 'a form did not come from a page of ours (CSRF)' },
  'games-signed-out': {
    level: 'info',
    help: 'a player took back what they had let all apps do',
  },
  'guest-converted': { level: 'info', help: 'a guest became a full user' },
  'key-issued': { level: 'info', help: 'a new server API key or client secret; `what`: its kind' },
  'key-revoked': { level: 'info', help: 'a key was ended; `what`: its id' },
  'locked-out': {
    level: 'warn',
    help: 'a limit on tries was reached, said once until it begins anew; `what`: the limit',
  },
  'passkey-added': { level: 'info', help: 'somebody can sign in with one more passkey' },
  'passkey-removed': { level: 'info', help: 'a passkey signs nobody in any more' },
  'passkeys-removed': {
    level: 'info',
    help: 'a player removed all passkeys, and was signed out of all other browsers',
  },
  'password-changed': {
    level: 'info',
    help: 'a player who was signed in changed it; `what`: what proved it, `password` or `passkey`',
  },
  'password-reset': { level: 'info', help: 'a player set a new one with a code from a mail' },
  'quarters-issued': { level: 'info', help: 'the operator issued some out of the treasury; `what`: the transfer' },
  'rate-limited': { level: null, help: 'a call was refused, as there were too many (429)' },
  'refresh-token-reused': {
    level: 'warn',
    help: 'a refresh token came again after 30 seconds: its whole family was ended, and somebody may have copied it',
  },
  'report-resolved': { level: 'info', help: 'the operator has looked at a report; `what`: the report' },
  'reward-granted': { level: 'info', help: 'the operator granted one; `what`: the reward' },
  'session-ended': { level: 'info', help: 'a player signed one of their browsers out' },
  'sessions-ended': { level: 'info', help: 'a player signed all their other browsers out' },
  'sign-in': { level: 'info', help: 'a player signed in; `what`: with `password`, `passkey` or `code`' },
  'sign-in-failed': {
    level: 'warn',
    help: 'a proof was wrong; `what`: `password`, `passkey`, or `password-change` for the proof that a change asks for. `userId`, where there is such an account',
  },
  'sign-out': { level: 'info', help: 'a player signed out of the browser in use' },
  'suspension-accepted': { level: 'warn', help: 'payments go on after the database was found older than the chain' },
  'token-revoked': { level: 'info', help: 'an app gave a token back (RFC 7009): its family was ended' },
  'transfer-cancelled': { level: 'info', help: 'the chain was asked to cancel it; `what`: the transfer' },
  'webhook-changed': {
    level: 'info',
    help: 'an endpoint was changed; `what`: `add`, `change`, `remove` or `rotate-secret`, and its id',
  },
} as const satisfies Record<string, { readonly level: Level; readonly help: string }>;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

export const ALL_SECURITY_EVENTS = Object.keys(SECURITY_EVENTS) as SecurityEvent[];

/** Who and what it is about. Never a secret, a token, an e-mail address, an idempotency key, or what somebody has typed. */
export type SecurityFacts = {
  /** Where not said: who the call under way is from. */
  readonly userId?: string | undefined;
  readonly appId?: string | undefined;
  /** The address it came from, where the call is not one that is under way here. */
  readonly client?: string | undefined;
  /** A word or a small number that says more: `password`, `passkey`, the id of a key. */
  readonly what?: string | number | undefined;
};
