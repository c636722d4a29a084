import type { Grant, KoaContextWithOIDC, interactionPolicy as Policy } from 'oidc-provider';
import { interactionPolicy } from './oidc-provider.ts';

/**
 * When somebody is asked: to sign in and to agree, as OpenID Connect Core (section 3.1.2.1) says, but for the library's rule
 * that apps with custom schemes ask every time: what a user agreed to once is remembered.
 */
export function interactions(): Policy.DefaultPolicy {
  const { base, Check } = interactionPolicy;
  const policy = base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  // A session outlives its user for a moment, when an account is closed.
  const nobody = new Check(
    'no_account',
    'End-User authentication is required',
    'login_required',
    ({ oidc }) => Boolean(oidc.session?.accountId) && !oidc.account,
  );
  policy.get('login')?.checks.add(nobody);
  return policy;
}

/** What a user has agreed to; null: to nothing. `settled`: waits for who is withdrawing it at this moment. */
export type FindConsent = (
  accountId: string,
  clientId: string,
  how: { readonly settled: boolean },
) => Promise<readonly string[] | null>;

/**
 * A fresh grant for every authorization, where the user has agreed to all that is asked for: so that a grant is one family of
 * tokens, and ending it signs out one device only.
 */
export function grantBy(findConsent: FindConsent) {
  return async ({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const accountId = oidc.account?.accountId;
    const clientId = oidc.client?.clientId;
    if (!accountId || !clientId) return undefined;
    const asked = [...oidc.requestParamOIDCScopes];
    const agreed = async (how: { settled: boolean }) => {
      const scopes = await findConsent(accountId, clientId, how);
      return scopes !== null && asked.every((scope) => scopes.includes(scope));
    };
    if (!(await agreed({ settled: false }))) return undefined;
    const grant = new oidc.provider.Grant({ accountId, clientId });
    grant.addOIDCScope(asked.join(' '));
    await grant.save();
    // A withdrawal that is under way has ended the grants it found, and not this one. Later ones find it.
    if (await agreed({ settled: true })) return grant;
    await grant.destroy();
    return undefined;
  };
}
