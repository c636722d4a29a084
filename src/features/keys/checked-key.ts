import { invalidInput } from '../../base/problems.ts';
import { CAPPED_SCOPES, type NewKey } from '../../identity/app-keys.ts';
import type { App } from '../../identity/apps.ts';

/**
 * Checks that this app may have the key: each scope that needs a cap has one, and no cap comes without its scope.
 * Throws `invalid-input`.
 */
export function checkedKey({ publicClient }: App, key: NewKey): NewKey {
  if (publicClient && key.kind === 'client') {
    throw invalidInput('/kind', 'cannot be client: the app is a public client, which keeps no secret');
  }
  if (key.kind === 'client') return key;
  for (const [scope, cap] of Object.entries(CAPPED_SCOPES)) {
    const has = key.scopes.some((held) => held === scope);
    if (has && !key[cap]) throw invalidInput(`/${cap}`, `must be given with the scope ${scope}`);
    if (!has && key[cap]) throw invalidInput(`/${cap}`, `can only be given with the scope ${scope}`);
  }
  return key;
}
