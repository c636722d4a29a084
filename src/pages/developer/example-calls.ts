import type { Bases } from '../../config/bases.ts';
import type { KeyKind, KeyScope } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';

/** A secret that was just created. */
export type NewSecret = { readonly kind: KeyKind; readonly secret: string; readonly scopes: readonly KeyScope[] };

export type ExampleCall = { readonly about: string; readonly command: string };

/** A first call with a new secret, as a shell command. */
export function exampleCall(bases: Bases, app: App, address: string, { kind, secret, scopes }: NewSecret): ExampleCall {
  if (kind === 'client') {
    return {
      about: 'Exchange a player’s code for tokens:',
      command: `curl ${bases.api}/v1/oauth/token -d grant_type=authorization_code -d client_id=${app.id} -d client_secret=${secret} -d code=CODE`,
    };
  }
  const header = `-H 'Authorization: Bearer ${secret}'`;
  return scopes.includes('guests')
    ? { about: 'Create your first guest:', command: `curl -X POST ${bases.devApi}/v1/new-guest ${header}` }
    : { about: 'Read your balance:', command: `curl ${bases.api}/v1/accounts/${address}/balance ${header}` };
}
