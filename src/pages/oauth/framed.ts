import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { OAUTH_PATHS } from '../../oauth/paths.ts';
import type { Service } from '../../settlement/service.ts';
import { frameIdOf, sendFailure } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import type { Message } from '../../web/message-page.ts';
import { isFramed, isInline, parameter } from '../../web/request-parameters.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import { ownWindowPage } from '../approval/own-window.ts';
import { withResponseMode } from './delivery.ts';
import { countArrival, isTooLong, TOO_LONG } from './limits.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export const UNKNOWN_GAME: Message = {
  status: 400,
  title: 'We don’t know this game',
  text: 'The game that sent you here isn’t registered. Nothing was shared with it.',
};

/**
 * GET /oauth/authorize. A framed request never reaches the provider: it would have no cookie, and the game around us could trick
 * the player into consent. At top level the request is completed with what existing clients leave out.
 */
export function authorizeRoute(server: FastifyInstance, service: Service, provider: Handler): void {
  const path = OAUTH_PATHS.authorization;
  server.get(path, async (request, reply) => {
    const app = await findApp(service.db, (parameter(request.query, 'client_id') ?? '') as AppId);
    const query = queryOf(request);
    if (app && isTooLong(query)) {
      return sendFailure(request, reply, TOO_LONG, { app, frameId: frameIdOf(request.query) });
    }
    if (isFramed(request.headers)) {
      return app ? offerWindow(request, reply, app) : sendMessage(request, reply, UNKNOWN_GAME, []);
    }
    if (app) {
      await countArrival(service, 'authorization', request);
      request.raw.url = `${path}?${withResponseMode(query, app)}`;
    }
    return provider(request, reply);
  });
}

/** Keeps repeated parameters, unlike the parsed query, so that the provider can refuse them. */
function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URL(url, 'http://any').searchParams;
}

function offerWindow(request: FastifyRequest, reply: FastifyReply, app: App) {
  const query = queryOf(request);
  for (const name of ['inline', 'frame_id', 'opened_by']) query.delete(name);
  const page = ownWindowPage({
    inline: isInline(request.query),
    title: 'Sign in',
    asks: 'asks you to sign in',
    button: 'Sign in with Quarters',
    windowPath: `${OAUTH_PATHS.authorization}?${query}&opened_by=frame`,
    tabPath: `${OAUTH_PATHS.authorization}?${query}`,
    app,
    frameId: frameIdOf(request.query),
  });
  return sendPage(reply.headers(pageHeaders({ frameAncestors: app.frameAncestors, script: true })), page);
}
