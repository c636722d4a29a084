import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AppId, RequestId } from '../base/ids.ts';
import { Problem } from '../base/problems.ts';
import { findApp } from '../identity/apps.ts';
import { findRequest } from '../requests/requests.ts';
import type { Service } from '../settlement/service.ts';
import { serveAssets } from '../web/assets.ts';
import { servePictures } from '../web/branding.ts';
import { type Failure, frameIdOf } from '../web/delivery.ts';
import { pageScope } from '../web/page-scope.ts';
import { openProgressStreams } from '../web/progress-streams.ts';
import { parameter } from '../web/request-parameters.ts';
import { accountRoutes } from './account/account-routes.ts';
import { APPROVAL_MESSAGES } from './approval/approval-context.ts';
import { approvalRoutes } from './approval/approval-routes.ts';
import { approvalProgressRoute } from './approval/progress-route.ts';
import { reportRoutes } from './approval/report-routes.ts';
import { browserScript } from './browser-script.ts';
import { guestRoutes } from './guest/guest-routes.ts';
import { interactionRoutes } from './oauth/consent.ts';
import { oauthEndpoints } from './oauth/endpoints.ts';
import { appOfReturn } from './oauth/interaction-address.ts';
import { logoutRoutes } from './oauth/logout.ts';
import { peopleRoutes } from './sign-in/sign-in-routes.ts';
import { signUpRoutes } from './sign-up/sign-up.ts';

/** The hosted pages for players. */
export async function registerPages(server: FastifyInstance, service: Service): Promise<void> {
  const streams = openProgressStreams(service);
  // Before the server waits for open responses: streams would stay open for minutes.
  server.addHook('preClose', async () => streams.close());
  server.addHook('preClose', async () => service.delays.end());
  await pageScope(server, service, serveAssets);
  await pageScope(server, service, (pages) => servePictures(pages, service));
  await pageScope(server, service, (pages) => browserScript(pages, service));
  await pageScope(server, service, (pages) =>
    peopleRoutes(pages, service, (returnTo) => appOfReturn(service, returnTo)),
  );
  await pageScope(server, service, (pages) =>
    signUpRoutes(pages, service, (returnTo) => appOfReturn(service, returnTo)),
  );
  await pageScope(server, service, (pages) => guestRoutes(pages, service));
  await pageScope(server, service, (pages) => accountRoutes(pages, service, streams));
  await oauthEndpoints(server, service);
  await pageScope(server, service, (pages) => interactionRoutes(pages, service));
  await pageScope(server, service, (pages) => logoutRoutes(pages, service));
  const payments = (pages: FastifyInstance) => {
    approvalRoutes(pages, service);
    reportRoutes(pages, service);
    approvalProgressRoute(pages, service, streams);
  };
  await pageScope(server, service, payments, {
    messages: APPROVAL_MESSAGES,
    hears: (error, request) => concernedGame(service, error, request),
  });
}

/**
 * The game that gets an error. An expired token is genuine, so its holder may learn whose request it is. For everybody else,
 * unknown and foreign requests must look the same, so only `client_id` names the game.
 */
async function concernedGame({ db }: Service, error: unknown, request: FastifyRequest): Promise<Failure | null> {
  if (!(error instanceof Problem)) return null;
  const frameId = frameIdOf(request.method === 'POST' ? request.body : request.query);
  if (error.code === 'not-found') {
    const named = await findApp(db, (parameter(request.query, 'client_id') ?? '') as AppId);
    return named && { app: named, frameId };
  }
  if (error.code !== 'token-expired') return null;
  const { id } = request.params as { id: RequestId };
  const found = await findRequest(db, id);
  const app = found && (await findApp(db, found.appId));
  return app && { app, frameId, requestId: id };
}
