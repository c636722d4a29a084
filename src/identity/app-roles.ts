/** What somebody may do with an app. */
export type AppRight =
  /** See everything but secrets. */
  | 'read'
  /** Manage webhooks, and send events again. */
  | 'webhooks'
  /** Get more test quarters, in development mode. */
  | 'test-quarters'
  /** Refund payments from its account. */
  | 'refund'
  /** Change its details and picture, and ask for auto approval. */
  | 'configure'
  /** Create server API keys and client secrets. */
  | 'keys'
  /** Revoke them. */
  | 'revoke-keys'
  /** Invite and remove members, and change their roles. */
  | 'team'
  /** Delete the app, or hand it over. */
  | 'delete';

/** The roles and their rights, the most powerful first. */
const RIGHTS = {
  owner: ['read', 'webhooks', 'test-quarters', 'refund', 'configure', 'keys', 'revoke-keys', 'team', 'delete'],
  admin: ['read', 'webhooks', 'test-quarters', 'refund', 'configure', 'keys', 'revoke-keys', 'team'],
  developer: ['read', 'webhooks', 'test-quarters'],
  viewer: ['read'],
} as const satisfies Record<string, readonly AppRight[]>;

export type AppRole = keyof typeof RIGHTS;

/** The owner is stored with the app, so that there is always one. All others are members. */
export type MemberRole = Exclude<AppRole, 'owner'>;

export const MEMBER_ROLES: readonly MemberRole[] = ['admin', 'developer', 'viewer'];

/** The role that a text names; null if it names none that a member can have. */
export function memberRoleOf(text: string | undefined): MemberRole | null {
  return MEMBER_ROLES.find((role) => role === text) ?? null;
}

/** What the team of a suspended app may still do. A key that leaked must be revoked before it works again. */
export const RIGHTS_WHILE_SUSPENDED: readonly AppRight[] = ['read', 'revoke-keys'];

export function roleMay(role: AppRole, right: AppRight): boolean {
  return (RIGHTS[role] as readonly AppRight[]).includes(right);
}
