import type { FastifyRequest } from 'fastify';
import { chooseRedirectUri, findRedirectUri } from '../../identity/addresses.ts';
import type { App } from '../../identity/apps.ts';
import { isFramed, isInline, parameter } from '../../web/arrival.ts';
import { frameIdOf } from '../../web/delivery.ts';

/** How a payment's page was opened, and so where its result goes. A form carries all of it on. */
export type Visit = {
  readonly inline: boolean;
  /** The registered redirect address the page was opened with. */
  readonly named: string | undefined;
  readonly frameId: string | undefined;
  /** The game wants the result signed. */
  readonly proof: boolean;
  /** Who opened this window: our own frame, or the game, which then waits for a message. */
  readonly openedBy: 'frame' | 'game' | undefined;
  /** Where the result goes by redirect; undefined: nowhere, the page itself delivers it. */
  readonly redirect: string | undefined;
  /** The result page does its part first: it tells the window that opened it. */
  readonly byPage: boolean;
  /** The query that takes the place of the one with a guest's token (`web/clean-query.ts`). */
  readonly cleanQuery?: string | undefined;
};

/**
 * The redirect address a payment's page was opened with; null where the app has not registered it. Shells name one of theirs beside
 * `frame_id`, and wait for the message: such an address counts as absent, so nothing ever leads there.
 */
export function namedRedirect(parameters: unknown, { redirectUris }: Pick<App, 'redirectUris'>) {
  const named = parameter(parameters, 'redirect_uri');
  if (named === undefined) return undefined;
  return findRedirectUri(redirectUris, named) ?? (frameIdOf(parameters) === undefined ? null : undefined);
}

/** Null where the redirect address that was named is not registered with the app. */
export function readVisit(request: FastifyRequest, parameters: unknown, app: App): Visit | null {
  const named = namedRedirect(parameters, app);
  if (named === null) return null;
  const choice = chooseRedirectUri(app.redirectUris, named);
  const frameId = frameIdOf(parameters);
  const openedBy = openerOf(parameters, named);
  // In a frame the game's page is around us and waits for a call: we leave it only where it said so itself.
  const stays = named === undefined && (openedBy === 'frame' || frameId !== undefined || isFramed(request.headers));
  const redirect = choice.kind === 'redirect' && !stays ? choice.uri : undefined;
  return {
    inline: isInline(parameters),
    named,
    frameId,
    proof: parameter(parameters, 'proof') === 'true',
    openedBy,
    redirect,
    byPage: redirect === undefined || openedBy !== undefined,
  };
}

/** A game that names an address waits for the player there, whatever window it has opened. */
function openerOf(parameters: unknown, named: string | undefined): Visit['openedBy'] {
  const openedBy = parameter(parameters, 'opened_by');
  if (openedBy === 'frame') return 'frame';
  return openedBy === 'game' && named === undefined ? 'game' : undefined;
}

/** Whether it must be asked of the browser how the result goes: nothing was named, and there is an address. */
export function asksWhoOpened({ named, redirect, byPage }: Visit): boolean {
  return named === undefined && redirect !== undefined && !byPage;
}
