import { currentContext, type Log, type LogEntry } from './log.ts';

/** The level in the log. Null means that the event is only counted, because thousands a second are possible. */
type Level = 'info' | 'warn' | null;

/**
 * Events that a person who watches an installation needs (OWASP ASVS 4.0, V7.1 and V7.2): name → level and meaning.
 * `what` in a meaning is the log line's field of that name. Names are public, because operators set alarms on them.
 */
export const SECURITY_EVENTS = {
  'access-granted': { level: 'info', help: 'a player gave an app access' },
  'access-withdrawn': {
    level: 'info',
    help: 'a player withdrew access from an app; `what`: `all`, or `standing` (the spending limit)',
  },
  'account-closed': { level: 'info', help: 'a player closed their account' },
  'account-created': { level: 'info', help: 'a player signed up' },
  'action-approved': { level: 'warn', help: "a second operator approved an operator's action; `what`: the action" },
  'action-refused': { level: 'info', help: 'an operator decided against a waiting action; `what`: the action' },
  'action-waiting': { level: 'info', help: 'an action waits for a second operator; `what`: the action' },
  'app-changed': { level: 'info', help: "an app's settings were changed; `what`: `details`, `picture`, `owner`" },
  'app-deleted': { level: 'info', help: 'an app was deleted by its owner or the operator, with all access to it' },
  'app-handed-over': { level: 'info', help: 'an app was handed over to an admin; `what`: the new owner' },
  'app-registered': { level: 'info', help: 'an app was registered, with its first keys' },
  'app-resumed': { level: 'info', help: 'the operator lifted the suspension of an app' },
  'app-suspended': { level: 'warn', help: 'the operator suspended an app: its keys and tokens stopped' },
  'app-unverified': { level: 'info', help: 'an app lost its verified mark' },
  'app-verified': { level: 'info', help: 'an app got its verified mark' },
  'auto-approval-disabled': { level: 'info', help: 'the app must ask for every payment again' },
  'auto-approval-enabled': { level: 'info', help: 'players may set a spending limit for the app' },
  'client-denied': {
    level: 'warn',
    help: 'OAuth: no app has this id and secret; `what`: the endpoint. `appId`: the app it claimed to be, if that exists',
  },
  'code-failed': { level: 'warn', help: 'a mailed code was wrong, used or expired; `what`: its purpose' },
  'code-replayed': {
    level: 'warn',
    help: 'an authorization code was used twice: the tokens from its first use were revoked',
  },
  'code-sent': {
    level: 'info',
    help: 'a code was mailed; `what`: its purpose. With `reset` and no `userId`, the mail says that there is no account',
  },
  'credential-denied': {
    level: 'warn',
    help: 'the API refused a credential (401, 403) that was neither missing nor expired; `what`: its kind and the problem’s code',
  },
  'data-key-changed': {
    level: 'info',
    help: 'the operator replaced the data key; `what`: `replace` when the new one seals, `delete` for an old one',
  },
  'email-changed': { level: 'info', help: 'a player changed their e-mail address' },
  'foreign-form': { level: 'warn', help: 'a form did not come from our pages (CSRF)' },
  'games-signed-out': {
    level: 'info',
    help: 'a player withdrew access from all apps',
  },
  'guest-converted': { level: 'info', help: 'a guest became a full user' },
  'guest-merged': {
    level: 'info',
    help: "a guest's quarters went to the player's own account; `what`: the guest",
  },
  'key-issued': { level: 'info', help: 'a new server API key or client secret; `what`: its kind' },
  'key-revoked': { level: 'info', help: 'a key was revoked; `what`: its id' },
  'locked-out': {
    level: 'warn',
    help: 'a limit on attempts was reached, logged once per period; `what`: the limit',
  },
  'log-not-whole': {
    level: 'warn',
    help: "the daily check found that the operator's log was changed; `what`: the first wrong entry",
  },
  'master-key-changed': {
    level: 'warn',
    help: 'the master key is being replaced; `what`: `add`, then `replace` (the old one ends) or `withdraw` (the new one)',
  },
  'operator-added': { level: 'warn', help: 'a user became an operator' },
  'operator-removed': {
    level: 'warn',
    help: 'a user lost the role of an operator, or their last passkey and with it the role',
  },
  'passkey-added': { level: 'info', help: 'a player added a passkey' },
  'passkey-removed': { level: 'info', help: 'a player removed a passkey' },
  'passkeys-removed': {
    level: 'info',
    help: 'a player removed all passkeys and was signed out of all other browsers',
  },
  'password-changed': {
    level: 'info',
    help: 'a signed-in player changed their password; `what`: how they confirmed it, `password` or `passkey`',
  },
  'password-reset': { level: 'info', help: 'a player set a new password with a mailed code' },
  'personal-data-opened': {
    level: 'info',
    help: 'an operator looked somebody up; `what`: `email`, `name` or `user`, and whom they found, or a list of players',
  },
  'quarters-issued': {
    level: 'info',
    help: 'the operator issued quarters from the treasury; `what`: the transfer, or the batch of a file',
  },
  'quarters-withdrawn': {
    level: 'info',
    help: 'a player sent quarters to an address of their own, outside; `what`: the transfer',
  },
  'rate-limited': { level: null, help: 'a call was refused because there were too many (429)' },
  'refresh-token-reused': {
    level: 'warn',
    help: 'a refresh token was reused after 30 seconds: its whole family was revoked',
  },
  'report-resolved': { level: 'info', help: 'the operator resolved a report; `what`: the report' },
  'reward-granted': { level: 'info', help: 'the operator granted a reward; `what`: the reward' },
  'seed-replaced': {
    level: 'warn',
    help: 'the operator replaced the seed, and all accounts got new keys and addresses; `what`: how many',
  },
  'session-ended': { level: 'info', help: 'a player signed out one of their browsers' },
  'sessions-ended': { level: 'info', help: 'a player signed out all their other browsers' },
  'sign-in': { level: 'info', help: 'a player signed in; `what`: how, `password`, `passkey`, `code` or `link`' },
  'sign-in-failed': {
    level: 'warn',
    help: 'a password, passkey or link was wrong; `what`: which, or `password-change` for the confirmation of a change. `userId`, if the account exists',
  },
  'sign-out': { level: 'info', help: 'a player signed out of the current browser' },
  'spending-limit-changed': { level: 'info', help: 'a player changed how much an app may take without asking' },
  'suspension-accepted': {
    level: 'warn',
    help: 'the operator resumed payments on a database older than the chain',
  },
  'team-changed': {
    level: 'info',
    help: "an app's team was changed; `what`: `invite`, `withdraw`, `join`, `decline`, `role`, `remove` or `leave`, with the role or the member",
  },
  'token-revoked': { level: 'info', help: 'an app revoked a token (RFC 7009) and with it its family' },
  'transfer-cancelled': { level: 'info', help: 'the operator sent a cancellation to the chain; `what`: the transfer' },
  'user-frozen': { level: 'warn', help: 'the operator froze a user' },
  'user-unfrozen': { level: 'info', help: 'the operator let a frozen user pay again' },
  'webhook-changed': {
    level: 'info',
    help: 'an endpoint was changed; `what`: `add`, `change`, `remove` or `rotate-secret`, and its id',
  },
  'withdrawal-address-changed': {
    level: 'info',
    help: 'a withdrawal address was changed; `what`: `add`, `remove`, or `stop` by the mailed link or an operator',
  },
} as const satisfies Record<string, { readonly level: Level; readonly help: string }>;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

export const ALL_SECURITY_EVENTS = Object.keys(SECURITY_EVENTS) as SecurityEvent[];

/** Whom and what an event is about. Never a secret, a token, an e-mail address, an idempotency key or typed text. */
export type SecurityFacts = {
  /** The default is the caller of the current call. */
  readonly userId?: string | undefined;
  readonly appId?: string | undefined;
  /** The caller's address, if the event does not belong to the current call. */
  readonly client?: string | undefined;
  /** A word or small number with more detail: `password`, `passkey`, a key's id. */
  readonly what?: string | number | undefined;
};

/** Writes and counts security events. */
export type SecurityLog = {
  /**
   * Records what has happened: after the COMMIT that made it so, and never in a transaction, whose work may run again.
   * The line also names its request or command, so record the event where that call awaits the outcome, not in work
   * that calls share.
   */
  note(event: SecurityEvent, facts?: SecurityFacts): void;
  /** How often each event has happened in this process; 0 for the others. */
  readonly counts: ReadonlyMap<SecurityEvent, number>;
  /**
   * The events recorded since the last call, as texts for {@link SecurityLog.hear}. A command's process ends, and its
   * output goes to a terminal; the services' log is the one that is kept and watched. So with `keeps` an event is not written, and
   * without it none is kept.
   */
  takeNotes(): string[];
  /** Records what a command has recorded. Ignores any other text. */
  hear(note: string): void;
};

export function openSecurityLog(log: Log, { keeps = false } = {}): SecurityLog {
  const counts = new Map<SecurityEvent, number>(ALL_SECURITY_EVENTS.map((event) => [event, 0]));
  const kept: string[] = [];
  const count = (event: SecurityEvent) => counts.set(event, counts.get(event)! + 1);
  const write = (event: SecurityEvent, entry: LogEntry) => {
    count(event);
    const { level } = SECURITY_EVENTS[event];
    if (level !== null) log[level]({ security: event, ...entry }, 'security event');
  };
  return {
    counts,
    note(event, facts = {}) {
      // An undefined fact must not hide what the context knows.
      const given = Object.entries(facts).filter(([, value]) => value !== undefined);
      const entry = { ...currentContext(), ...Object.fromEntries(given) };
      if (!keeps) return write(event, entry);
      count(event);
      kept.push(JSON.stringify({ event, entry }));
    },
    takeNotes: () => kept.splice(0),
    hear(note) {
      const heard = readNote(note);
      if (heard) write(heard.event, heard.entry);
    },
  };
}

/** The fields that a command may give for an event. Others could falsify the line: `level`, `msg`, `security`. */
const HEARD_FIELDS = ['osUser', 'command', 'userId', 'appId', 'what'];
/** Much longer than any real value. */
const MAX_HEARD_LENGTH = 256;

/** Any client of the database may have sent it, even another version of the program. */
function readNote(note: string): { readonly event: SecurityEvent; readonly entry: LogEntry } | null {
  try {
    const { event, entry } = JSON.parse(note) as { event?: unknown; entry?: unknown };
    if (typeof event !== 'string' || !Object.hasOwn(SECURITY_EVENTS, event)) return null;
    const heard = HEARD_FIELDS.flatMap((name) => {
      const value = (entry as LogEntry)[name];
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' ? [[name, value.slice(0, MAX_HEARD_LENGTH)]] : [];
    });
    return { event: event as SecurityEvent, entry: { actor: 'operator', ...Object.fromEntries(heard) } };
  } catch {
    return null;
  }
}
