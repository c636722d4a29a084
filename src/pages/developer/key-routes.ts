import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { basesOf } from '../../config/bases.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { showApp } from '../../features/apps/show-app.ts';
import { issueKey, revokeKey, rotateKey } from '../../features/keys/keys.ts';
import type { Service } from '../../settlement/service.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { appIdOf, appPath, sendAppPage } from './app-routes.ts';
import { sendConsolePage } from './developer-page.ts';
import { readNewKey } from './keys-section.ts';
import type { NewSecret } from './secrets-page.ts';
import { secretsPage } from './secrets-page.ts';

/**
 * POST /developer/apps/{id}/keys creates a key, …/rotate creates a second one like the given one, …/revoke ends one. All need a fresh
 * sign-in, as a key moves quarters.
 */
export function keyRoutes(pages: FastifyInstance, service: Service): void {
  const { settings, publicUrl } = service;

  /** Creates a secret and shows it. If there are already two, the app's page says so. */
  const showNew = async (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    make: () => Promise<NewSecret>,
  ) => {
    try {
      const secret = await make();
      const { app, address } = await showApp(service, asDeveloper(visitor.session), appIdOf(request));
      const title = secret.kind === 'server' ? 'Your new server API key' : 'Your new client secret';
      const bases = basesOf(settings, publicUrl);
      return sendConsolePage(reply, secretsPage({ title, app, address, secrets: [secret], bases }));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'limit-reached') throw error;
      return sendAppPage(service, request, reply.code(error.status), visitor, { notice: error.message });
    }
  };

  pages.post(
    '/developer/apps/:id/keys',
    signedIn(
      service,
      async (request, reply, visitor) => {
        const wanted = readNewKey(request.body);
        if ('refused' in wanted) {
          return sendAppPage(service, request, reply.code(400), visitor, { newKey: wanted.refused });
        }
        return showNew(request, reply, visitor, async () => ({
          kind: wanted.kind,
          scopes: wanted.kind === 'server' ? wanted.scopes : [],
          secret: await issueKey(service, asDeveloper(visitor.session), appIdOf(request), wanted),
        }));
      },
      { fresh: true },
    ),
  );
  pages.post(
    '/developer/apps/:id/keys/rotate',
    signedIn(
      service,
      async (request, reply, visitor) =>
        showNew(request, reply, visitor, () =>
          rotateKey(service, asDeveloper(visitor.session), appIdOf(request), parameter(request.body, 'key') ?? ''),
        ),
      { fresh: true },
    ),
  );
  pages.post(
    '/developer/apps/:id/keys/revoke',
    signedIn(
      service,
      async (request, reply, { session }) => {
        await revokeKey(service, asDeveloper(session), appIdOf(request), parameter(request.body, 'key') ?? '');
        return reply.redirect(appPath(request), 303);
      },
      { fresh: true },
    ),
  );

  for (const path of ['keys', 'keys/rotate', 'keys/revoke']) {
    // The address bar shows this path while a new secret is shown. Loading it by hand gives the app's page.
    pages.get(`/developer/apps/:id/${path}`, { config: { isUnlisted: true } }, (request, reply) =>
      reply.redirect(appPath(request), 303),
    );
  }
}
