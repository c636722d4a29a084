/** The scopes of access tokens (RFC 6749, section 3.3), and their descriptions for players. */
export const SCOPES = {
  openid: 'recognise you',
  profile: 'see your display name',
  email: 'see your e-mail address',
  wallet: 'see your account, its balance and your rewards',
  requests: 'ask you for quarters; you approve each payment, unless you set a spending limit',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** Reads space-separated scopes. Unknown ones are left out. */
export function parseScopes(text: string): Scope[] {
  return text.split(' ').filter((word): word is Scope => Object.hasOwn(SCOPES, word));
}
