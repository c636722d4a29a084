import { type App, lookUpLivingApp } from '../../identity/apps.ts';
import { findInteraction } from '../../oauth/interactions.ts';
import type { Service } from '../../settlement/service.ts';
import { formTargets } from '../../web/result-delivery.ts';

/** Ties an interaction to the browser that started it; the cookie's path is the interaction's. */
export const INTERACTION_COOKIE = 'quarters_interaction';

const PATH = '/oauth/interaction/';

export const INTERACTION_ROUTE = `${PATH}:uid`;

/** `uid`: is URL-safe. */
export function interactionPath(uid: string): string {
  return PATH + uid;
}

/** The app to which a player returns after signing in; null: they return to our own page. `returnTo`: a path. */
export async function appOfReturn({ db }: Pick<Service, 'db'>, returnTo: string): Promise<App | null> {
  if (!returnTo.startsWith(PATH)) return null;
  const interaction = await findInteraction(db, returnTo.slice(PATH.length));
  return interaction && lookUpLivingApp(db, interaction.appId);
}

/**
 * The CSP sources, besides our own, to which a sign-in form may redirect. If the game already has consent, the form redirects straight
 * to the game, and browsers check form-action against every redirect.
 */
export function returnTargets(app: App | null): readonly string[] {
  const uris = app?.redirectUris ?? [];
  return [...new Set(uris.flatMap((uri) => formTargets(uri, uris)))];
}
