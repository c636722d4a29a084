/** What a server API key may do besides reading. Games ship keys, so each should allow no more than it is used for. */
export const KEY_SCOPES = {
  guests: 'create guests',
  'guest-tokens': 'get new tokens for any guest of the app, and so act as any of them',
  pay: "pay and refund players from the app's account, list and cancel requests",
  'create-requests': "ask the app's guests, and players who gave it access, for quarters",
  'approve-requests': "approve requests within a player's spending limit",
  webhooks: 'manage webhooks and send events again',
} as const;

export type KeyScope = keyof typeof KEY_SCOPES;

export const ALL_KEY_SCOPES = Object.keys(KEY_SCOPES) as KeyScope[];

/** The scopes of a key unless others are chosen. */
export const USUAL_KEY_SCOPES: readonly KeyScope[] = ['guests', 'pay'];

export const KEY_ID_PATTERN = '^[0-9a-f]{16}$';
