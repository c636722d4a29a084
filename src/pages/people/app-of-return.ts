import type { App } from '../../identity/apps.ts';
import { formTargets } from '../../web/result-address.ts';

/** The app a player will be sent back to from this path of ours; null where it leads to none. */
export type AppOfReturn = (returnTo: string) => Promise<App | null>;

/**
 * The CSP sources a form that signs somebody in may lead to besides ourselves: where the game need ask nothing more, straight to
 * its own address, and form-action is held against every step on the way.
 */
export function returnTargets(app: App | null): readonly string[] {
  const uris = app?.redirectUris ?? [];
  return [...new Set(uris.flatMap((uri) => formTargets(uri, uris)))];
}
