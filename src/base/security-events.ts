/** What is worth knowing to whoever watches over an installation, and how loud the log says it (OWASP ASVS 4.0, V7.1 and V7.2). */
export const SECURITY_EVENTS = {
  'sign-in': 'info',
  'sign-in-failed': 'warn',
  'locked-out': 'warn',
  'password-reset': 'info',
  'password-changed': 'info',
  'session-ended': 'info',
  'sessions-ended': 'info',
  'passkeys-removed': 'info',
  'games-signed-out': 'info',
} as const;

export type SecurityEvent = keyof typeof SECURITY_EVENTS;

/** Who and what it is about. Never a secret, a token, an e-mail address or an idempotency key. */
export type SecurityFacts = {
  readonly userId?: string;
  readonly appId?: string;
  /** The address it came from, where the call is not one that is under way here. */
  readonly client?: string;
  /** A word or a small number that says more: `password`, `passkey`, the id of a key. */
  readonly what?: string | number;
};
