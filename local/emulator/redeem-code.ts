import { hashSecret } from '../../src/base/secrets.ts';
import { insertKey } from '../../src/identity/app-keys.ts';
import type { App } from '../../src/identity/apps.ts';
import { OAUTH_PATHS } from '../../src/oauth/clients.ts';
import type { World } from './world.ts';

export type AppTokens = { readonly accessToken: string; readonly refreshToken: string };

/** Redeems an authorization code as its app does, at the provider's endpoint. `verifier`: of the code's challenge. */
export async function redeemCode(
  { service: { db }, site }: World,
  { id, publicClient }: App,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Promise<AppTokens> {
  // The app's own secret is known to nobody here. This one exists for the one call.
  const secret = publicClient ? null : await db.transaction((tx) => insertKey(tx, id, { kind: 'client' }));
  try {
    const form = { grant_type: 'authorization_code', client_id: id, code, code_verifier: verifier };
    const answer = await site.inject({
      method: 'POST',
      url: OAUTH_PATHS.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams({ ...form, ...(secret && { client_secret: secret }) })}`,
    });
    if (answer.statusCode !== 200) throw new Error(`The code was not redeemed: ${answer.body}`);
    const { access_token, refresh_token } = answer.json<{ access_token: string; refresh_token: string }>();
    return { accessToken: access_token, refreshToken: refresh_token };
  } finally {
    if (secret) await db.query('DELETE FROM app_keys WHERE hash = $1', [hashSecret(secret)]);
  }
}
