import { type App, findApp } from '../../identity/apps.ts';
import { findInteraction } from '../../oauth/interactions.ts';
import type { Service } from '../../usecases/service.ts';

/** Ties an interaction to the browser that began it; its path is the interaction's own. */
export const INTERACTION_COOKIE = 'quarters_interaction';

const PATH = '/oauth/interaction/';

export const INTERACTION_ROUTE = `${PATH}:uid`;

/** `uid`: URL-safe as it is. */
export function interactionPath(uid: string): string {
  return PATH + uid;
}

/** The app somebody goes back to after signing in; null: they go back to a page of ours. `returnTo`: a path. */
export async function appOfReturn({ db }: Pick<Service, 'db'>, returnTo: string): Promise<App | null> {
  if (!returnTo.startsWith(PATH)) return null;
  const interaction = await findInteraction(db, returnTo.slice(PATH.length));
  return interaction && findApp(db, interaction.appId);
}
