import type { Client, Grant, KoaContextWithOIDC, interactionPolicy as Policy } from 'oidc-provider';
import type { OAuthClient } from './clients.ts';
import { errors, interactionPolicy } from './oidc-provider.ts';

/**
 * When users must choose an account, sign in and agree: as in OpenID Connect Core, section 3.1.2.1. Without the library's rule that apps with
 * custom schemes ask every time: we remember what a user has agreed to.
 */
export function interactionRules(): Policy.DefaultPolicy {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.get('consent')?.checks.remove('native_client_prompt');
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  // Initiating User Registration via OpenID Connect 1.0.
  policy.add(new Prompt({ name: 'create', requestable: true }), 0);
  // When an account is closed, its sessions exist for a moment longer.
  const nobody = new Check(
    'no_account',
    'End-User authentication is required',
    'login_required',
    ({ oidc }) => Boolean(oidc.session?.accountId) && !oidc.account,
  );
  policy.get('login')?.checks.add(nobody);
  return policy;
}

/** What a user has agreed to; null if nothing. `settled`: waits for a withdrawal that is running now. */
export type FindConsent = (
  accountId: string,
  clientId: string,
  how: { readonly settled: boolean },
) => Promise<readonly string[] | null>;

/**
 * Creates a new grant for every authorization that the user has fully agreed to. So a grant is one family of tokens, and ending it
 * signs out one device only.
 */
export function grantByConsent(findConsent: FindConsent) {
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
    // A withdrawal that is running now ends the grants it has found, without this one. Later withdrawals find it.
    if (await agreed({ settled: true })) return grant;
    await grant.destroy();
    return undefined;
  };
}

/** Routes by which a suspended app gets something. It may still revoke its tokens, and its players may sign out. */
const STOPPED: ReadonlySet<string | undefined> = new Set([
  'authorization',
  'resume',
  'token',
  'introspection',
  'userinfo',
]);

/** Throws the error of RFC 6749, section 5.2, for a suspended app. */
export function refuseSuspended({ suspendedAt }: Pick<OAuthClient, 'suspendedAt'>, route: string | undefined): void {
  if (suspendedAt && STOPPED.has(route)) throw new errors.UnauthorizedClient('the app is suspended');
}

type TokenPolicy = (
  ctx: KoaContextWithOIDC,
  client: Client,
  token: { readonly clientId?: string | undefined; readonly accountId?: string | undefined },
) => Promise<boolean>;

/** RFC 7662, section 2.1: only authenticated clients may introspect, and only tokens that were issued to them. */
export function mayIntrospect(findAccount: (id: string) => Promise<object | null>): TokenPolicy {
  return async (_ctx, client, token) =>
    client.clientAuthMethod !== 'none' &&
    token.clientId === client.clientId &&
    token.accountId !== undefined &&
    (await findAccount(token.accountId)) !== null;
}

/** RFC 7009, section 2.1. */
export const mayRevoke: TokenPolicy = async (_ctx, client, token) => {
  if (token.clientId !== client.clientId) throw new errors.InvalidRequest('the token was not issued to this client');
  return true;
};
