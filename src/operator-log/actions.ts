/**
 * What the operator's log records: every change that an operator made, and every change of a credential. Each word has a meaning, which
 * `docs/operate/log.md` lists. Words are public and are never renamed: old entries keep them.
 */
export const LOGGED_ACTIONS = {
  'account-closed': 'a player closed their account',
  'account-created': 'a player signed up, with a first password or, in development mode, without one',
  'account-joined': 'a user got an account that was found when a backup was restored',
  'action-approved': "a second operator approved another's action",
  'action-proposed': 'an operator asked for an action that needs a second operator',
  'action-rejected': 'a second operator rejected an action',
  'app-changed': "an app's details, picture or owner were changed",
  'app-deleted': 'an app was deleted, with all access to it',
  'app-handed-over': 'the owner of an app made an admin its owner',
  'app-registered': 'an app was registered',
  'app-resumed': "an app's suspension ended",
  'app-suspended': 'an app was suspended: its keys and tokens stopped',
  'app-unverified': 'an app lost its verified mark',
  'app-verified': 'an app got its verified mark',
  'auto-approval-disabled': 'an app must ask for every payment again',
  'auto-approval-enabled': 'players may set a spending limit for an app',
  'backup-reported': 'an operator said that a backup was taken',
  'batch-paid': 'the first row of a file of payments was about to be paid; each of its issues is an entry of its own',
  'database-restored': 'payments that a restored database had lost were read from the chain',
  'email-changed': 'a player changed their e-mail address',
  'guest-converted': 'a guest became a full user, with a first password',
  'guest-merged': "a guest's quarters went to the player's own account, and the guest was closed",
  'key-issued': 'an app got a server API key or a client secret',
  'key-revoked': 'a server API key or a client secret was revoked',
  'kit-kept': 'an operator said that the recovery kit is kept',
  'ledger-repaired': 'blocks were read again, and the ledger was made equal to them',
  'liabilities-published': 'a proof of liabilities was published',
  'log-pruned': 'old entries of this log were deleted up to a signed checkpoint',
  'master-key-added': 'a new master key opens the database, beside the old one',
  'master-key-replaced': 'the old master key opens the database no more',
  'master-key-withdrawn': 'the new master key opens the database no more, and the old one stays',
  'operator-added': 'a user became an operator',
  'operator-removed': 'a user is no operator any more',
  'passkey-added': 'a player added a passkey',
  'passkey-removed': 'a player removed a passkey',
  'passkeys-removed': 'a player removed all their passkeys',
  'password-changed': 'a signed-in player replaced their password',
  'password-reset': 'a password was set with a mailed code',
  'payment-refunded': "somebody of an app's team refunded a payment in the console",
  'quarters-issued': 'quarters were issued from the treasury',
  'report-resolved': "a player's report was resolved",
  'reward-granted': 'a reward was granted to a user by the operator',
  'suspension-accepted': 'payments were resumed after the database was found older than the chain',
  'team-changed':
    "a member joined or left an app's team, or got another role, or an invitation was sent, withdrawn or declined",
  'transfer-cancelled': 'a cancellation of a transfer was sent to the chain',
  'user-frozen': 'a user was frozen: nothing is paid from their account, and an operator loses the console',
  'user-unfrozen': 'a user was unfrozen',
  'webhook-changed': "an app's webhook endpoint was added, changed or removed, or got a new secret",
} as const satisfies Record<string, string>;

export type LoggedAction = keyof typeof LOGGED_ACTIONS;

export const ALL_LOGGED_ACTIONS = Object.keys(LOGGED_ACTIONS) as LoggedAction[];
