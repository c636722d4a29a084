import { invalidInput } from '../base/problems.ts';
import type { NewKey } from '../identity/app-keys.ts';
import type { App } from '../identity/apps.ts';

/** A key this app may have. Throws `invalid-input`. */
export function checkedKey({ publicClient }: App, key: NewKey): NewKey {
  if (publicClient && key.kind === 'client') {
    throw invalidInput('/kind', 'can not be client: the app is a public client, which keeps no secret');
  }
  return key;
}
