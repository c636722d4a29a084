import type { App } from '../../identity/apps.ts';
import { formTargets } from '../../web/result-address.ts';

/** The app to which this path of ours will send a player back; null: it leads to no app. */
export type AppOfReturn = (returnTo: string) => Promise<App | null>;

/**
 * The CSP sources, besides our own, to which a sign-in form may redirect. If the game already has consent, the form redirects straight
 * to the game, and browsers check form-action against every redirect.
 */
export function returnTargets(app: App | null): readonly string[] {
  const uris = app?.redirectUris ?? [];
  return [...new Set(uris.flatMap((uri) => formTargets(uri, uris)))];
}
