import type { FastifyInstance } from 'fastify';
import type { Service } from '../../../service/service.ts';
import type { ProgressStreams } from '../../../web/progress-streams.ts';
import type { SignedInRoutes } from '../../../web/visitor.ts';
import { appsRoutes, sectionLinks } from './apps/apps.ts';
import { keyRoutes } from './keys/keys-page.ts';
import { overviewRoutes } from './overview/overview.ts';
import { paymentsRoutes } from './payments/payments-page.ts';
import { playerRoutes } from './players/player-page.ts';
import { deletionRoutes } from './settings/delete-app.ts';
import { pictureRoutes, settingsRoutes } from './settings/settings-routes.ts';
import { invitationRoutes, teamRoutes } from './team/team-page.ts';
import { eventRoutes } from './webhooks/event-routes.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** The developers' console: a file of routes for each section. */
export async function developerRoutes(
  visitors: SignedInRoutes,
  service: Service,
  pages: FastifyInstance,
  streams: ProgressStreams,
): Promise<void> {
  appsRoutes(visitors, service);
  sectionLinks(visitors, service);
  overviewRoutes(visitors, service);
  paymentsRoutes(pages, visitors, service, streams);
  playerRoutes(visitors, service);
  settingsRoutes(visitors, service);
  await pictureRoutes(pages, service);
  deletionRoutes(visitors, service);
  teamRoutes(visitors, service);
  invitationRoutes(visitors, service);
  keyRoutes(visitors, service);
  webhookRoutes(visitors, service);
  eventRoutes(visitors, service);
}
