import { type App, lookUpLivingApp } from '../../identity/apps.ts';
import { NO_REDIRECT, OAUTH_PATHS } from '../../oauth/clients.ts';
import { findInteraction, type Interaction } from '../../oauth/interactions.ts';
import type { Service } from '../../service/service.ts';
import { formTargets } from '../../web/result-delivery.ts';

/** Ties an interaction to the browser that started it; the cookie's path is the interaction's. */
export const INTERACTION_COOKIE = 'quarters_interaction';

const PATH = '/oauth/interaction/';

export const INTERACTION_ROUTE = `${PATH}:uid`;

/** `uid`: is URL-safe. */
export function interactionPath(uid: string): string {
  return PATH + uid;
}

/** The address at which the app asks again what this interaction has answered, which leads to the app once more. */
export function askAgainAddress({ params }: Pick<Interaction, 'params'>): string {
  return `${OAUTH_PATHS.authorization}?${new URLSearchParams(params as Record<string, string>)}`;
}

/** The game to which a player returns after signing in. */
export type ReturnToGame = {
  readonly app: App;
  /** Leads there once more ({@link askAgainAddress}). Undefined: our own page tells the game. */
  readonly again: string | undefined;
};

/** Null: they return to our own page. `returnTo`: a path. */
export async function gameOfReturn({ db }: Pick<Service, 'db'>, returnTo: string): Promise<ReturnToGame | null> {
  if (!returnTo.startsWith(PATH)) return null;
  const [uid = ''] = returnTo.slice(PATH.length).split('?', 1);
  const interaction = await findInteraction(db, uid);
  const app = interaction && (await lookUpLivingApp(db, interaction.appId));
  if (!app) return null;
  const redirects = interaction.params.redirect_uri !== NO_REDIRECT;
  return { app, again: redirects ? askAgainAddress(interaction) : undefined };
}

/**
 * The CSP sources, besides our own, to which a sign-in form may redirect. If the game already has consent, the form redirects straight
 * to the game, and browsers check form-action against every redirect.
 */
export function returnTargets(game: ReturnToGame | null): readonly string[] {
  const uris = game?.app.redirectUris ?? [];
  return [...new Set(uris.flatMap((uri) => formTargets(uri, uris)))];
}
