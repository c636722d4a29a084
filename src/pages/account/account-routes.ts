import type { FastifyInstance } from 'fastify';
import type { Service } from '../../service/service.ts';
import { jsonScope } from '../../web/json-scope.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { activityProgressRoute, activityRoute } from './activity.ts';
import { checkRoute } from './check.ts';
import { closeRoutes } from './close.ts';
import { connectedGamesRoutes } from './connected-games.ts';
import { emailRoutes } from './email.ts';
import { exportRoutes } from './exports.ts';
import { nameRoutes } from './name.ts';
import { overviewRoute } from './overview.ts';
import { passkeyCodeRoutes } from './passkey-code.ts';
import { passkeyAddingRoutes, passkeyPageRoutes } from './passkeys.ts';
import { passwordByPasskeyRoutes, passwordRoutes } from './password.ts';
import { sessionsRoutes } from './sessions.ts';
import { spendingLimitRoutes } from './spending-limit.ts';
import { stopLinkRoutes } from './stop-links.ts';
import { withdrawByPasskeyRoutes, withdrawRoutes } from './withdraw.ts';
import { addressByPasskeyRoutes, addressRoutes } from './withdrawal-addresses.ts';

/** "Your account": everything under /account. */
export async function accountRoutes(pages: FastifyInstance, service: Service, streams: ProgressStreams): Promise<void> {
  overviewRoute(pages, service);
  activityRoute(pages, service);
  activityProgressRoute(pages, service, streams);
  exportRoutes(pages, service);
  connectedGamesRoutes(pages, service);
  spendingLimitRoutes(pages, service);
  nameRoutes(pages, service);
  emailRoutes(pages, service);
  passwordRoutes(pages, service);
  passkeyPageRoutes(pages, service);
  passkeyCodeRoutes(pages, service);
  sessionsRoutes(pages, service);
  withdrawRoutes(pages, service);
  addressRoutes(pages, service);
  stopLinkRoutes(pages, service);
  checkRoute(pages, service);
  closeRoutes(pages, service);
  await jsonScope(pages, service, (server) => {
    passwordByPasskeyRoutes(server, service);
    passkeyAddingRoutes(server, service);
    withdrawByPasskeyRoutes(server, service);
    addressByPasskeyRoutes(server, service);
  });
}
