import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedService } from '../kit/service/shared-service.ts';

test('discovery lists exactly what is supported', async (t) => {
  const { origin, app } = await sharedService(t);
  const at = async (path: string) => (await app.inject({ url: path })).json<Record<string, unknown>>();
  const found = await at('/.well-known/openid-configuration');
  assert.deepEqual(found, {
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    userinfo_endpoint: `${origin}/oauth/userinfo`,
    jwks_uri: `${origin}/oauth/jwks`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    introspection_endpoint: `${origin}/oauth/introspect`,
    end_session_endpoint: `${origin}/oauth/logout`,
    scopes_supported: ['openid', 'profile', 'email', 'wallet', 'requests'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    claims_supported: ['iss', 'sub', 'auth_time', 'name', 'email', 'email_verified'],
    claim_types_supported: ['normal'],
    claims_parameter_supported: false,
    request_uri_parameter_supported: false,
    prompt_values_supported: ['none', 'create', 'select_account', 'login', 'consent'],
    ui_locales_supported: ['en', 'de', 'es', 'fr', 'pt-BR', 'ja', 'ar'],
  });
  assert.deepEqual(await at('/.well-known/oauth-authorization-server'), found);

  const { keys } = (await at('/oauth/jwks')) as { keys: Record<string, string>[] };
  assert.equal(keys.length, 1);
  assert.deepEqual(Object.keys(keys[0]!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
});
