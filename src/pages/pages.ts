import type { FastifyInstance } from 'fastify';
import { consolePath, DEVELOPERS_CONSOLE, OPERATORS_CONSOLE } from '../service/console-path.ts';
import { loadAll } from '../service/house.ts';
import type { Service } from '../service/service.ts';
import { serveAssets } from '../web/assets.ts';
import { servePictures } from '../web/branding.ts';
import { jsonScope } from '../web/json-scope.ts';
import { pageScope } from '../web/page-scope.ts';
import { openProgressStreams, type ProgressStreams } from '../web/progress-streams.ts';
import { signedInRoutes } from '../web/visitor.ts';
import { accountRoutes } from './account/account-routes.ts';
import { DEVELOPER_ROUTES, OPERATOR_ROUTES, PAGES } from './additions.ts';
import { approvalRoute } from './approval/approval.ts';
import { approvalMessages, concernedGame } from './approval/approval-failures.ts';
import { decisionRoute } from './approval/decision.ts';
import { approvalProgressRoute } from './approval/progress.ts';
import { reportRoute } from './approval/report.ts';
import { browserScript } from './browser-script.ts';
import { APP_SUSPENDED } from './consoles/app-frame.ts';
import { firstSectionRoute, routesForOperators } from './consoles/operator-frame.ts';
import { continueRoute } from './continue/continue.ts';
import { guestRoutes } from './guest/guest-routes.ts';
import { homeRoute } from './home/home.ts';
import { tourRoute } from './home/tour.ts';
import { languageRoute } from './language/language.ts';
import { interactionRoutes } from './oauth/consent.ts';
import { logoutRoutes } from './oauth/logout.ts';
import { oauthEndpoints } from './oauth/oauth-endpoints.ts';
import { forgotRoutes } from './sign-in/forgot.ts';
import { passkeySignInRoutes, signInRoutes } from './sign-in/sign-in.ts';
import { signInLinkRoute } from './sign-in/sign-in-link.ts';
import { signOutRoutes } from './sign-in/sign-out.ts';
import { signUpRoutes } from './sign-up/sign-up.ts';
import { wellKnownRoutes } from './well-known.ts';
import { firstWindowRoute } from './window/window.ts';

/** The hosted pages, for players and for developers. */
export async function registerPages(server: FastifyInstance, service: Service): Promise<void> {
  const streams = openProgressStreams(service);
  // Before the server waits for open responses: streams would stay open for minutes.
  server.addHook('preClose', async () => streams.close());
  server.addHook('preClose', async () => service.delays.end());
  await pageScope(server, service, (pages) => serveAssets(pages, service));
  await pageScope(server, service, (pages) => servePictures(pages, service));
  await pageScope(server, service, (pages) => browserScript(pages, service));
  await pageScope(server, service, (pages) => {
    homeRoute(pages, service);
    tourRoute(pages, service);
    firstWindowRoute(pages);
    languageRoute(pages, service);
    wellKnownRoutes(pages, service);
  });
  await pageScope(server, service, (pages) => signInAndOutRoutes(pages, service));
  await pageScope(server, service, (pages) => continueRoute(pages, service));
  await pageScope(server, service, (pages) => signUpRoutes(pages, service));
  await pageScope(server, service, (pages) => guestRoutes(pages, service));
  await pageScope(server, service, (pages) => accountRoutes(pages, service, streams));
  await oauthEndpoints(server, service);
  await pageScope(server, service, (pages) => interactionRoutes(pages, service));
  await pageScope(server, service, (pages) => logoutRoutes(pages, service));
  await pageScope(server, service, (pages) => developerRoutes(pages, service, streams), {
    messages: () => ({ 'app-suspended': APP_SUSPENDED }),
  });
  await pageScope(server, service, (pages) => operatorRoutes(pages, service));
  for (const add of await loadAll(service.house, PAGES)) await add(server, service);
  const payments = (pages: FastifyInstance) => {
    approvalRoute(pages, service);
    decisionRoute(pages, service);
    reportRoute(pages, service);
    approvalProgressRoute(pages, service, streams);
  };
  await pageScope(server, service, payments, {
    messages: approvalMessages,
    hears: (error, request) => concernedGame(service, error, request),
  });
}

async function signInAndOutRoutes(pages: FastifyInstance, service: Service): Promise<void> {
  signInRoutes(pages, service);
  await jsonScope(pages, service, (server) => passkeySignInRoutes(server, service));
  signInLinkRoute(pages, service);
  forgotRoutes(pages, service);
  signOutRoutes(pages, service);
}

async function developerRoutes(pages: FastifyInstance, service: Service, streams: ProgressStreams): Promise<void> {
  if (consolePath(service.house, DEVELOPERS_CONSOLE) === null) return;
  const visitors = signedInRoutes(pages, service);
  for (const add of await loadAll(service.house, DEVELOPER_ROUTES)) await add(visitors, service, pages, streams);
}

async function operatorRoutes(pages: FastifyInstance, service: Service): Promise<void> {
  if (consolePath(service.house, OPERATORS_CONSOLE) === null) return;
  const operators = routesForOperators(pages, service);
  for (const add of await loadAll(service.house, OPERATOR_ROUTES)) add(operators, service);
  firstSectionRoute(operators, service);
}
