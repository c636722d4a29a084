import { foldEmail, type User } from './users.ts';

/**
 * The address of the demo app's owner. No mail can arrive there (RFC 6761, section 6.4), and we send none. So nobody can sign up with
 * it or reset its password, in any installation.
 */
export const DEMO_OWNER_EMAIL = 'demo-developer@quarters.invalid';

export const DEMO_OWNER_NAME = 'Demo developer';

export function isDemoAddress(email: string): boolean {
  return foldEmail(email) === DEMO_OWNER_EMAIL;
}

export function isDemoOwner({ kind, email }: Pick<User, 'kind' | 'email'>): boolean {
  return kind === 'full' && isDemoAddress(email);
}
