import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestAutoApproval } from '../../features/apps/auto-approval.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import { showApp } from '../../features/apps/show-app.ts';
import { updateApp } from '../../features/apps/update-app.ts';
import type { Service } from '../../settlement/service.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { detailErrors, readDetails } from './app-form.ts';
import { appPage, type RefusedForm } from './app-page.ts';
import { sendConsolePage } from './developer-page.ts';

/** The unchecked id in the path. */
export function appIdOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

export function appPath(request: FastifyRequest): string {
  return `/developer/apps/${encodeURIComponent(appIdOf(request))}`;
}

/** Shows the app's page. `refused`: what a refused form leaves on it. */
export async function sendAppPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  refused: RefusedForm,
): Promise<FastifyReply> {
  const own = await showApp(service, asDeveloper(session), appIdOf(request));
  const saved = parameter(request.query, 'saved') === 'true';
  return sendConsolePage(reply, appPage({ ...own, csrf, saved, refused }));
}

/** GET /developer/apps/{id} shows an app, POST changes its details. */
export function appRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/developer/apps/:id',
    signedIn(service, async (request, reply, visitor) => sendAppPage(service, request, reply, visitor, {})),
  );
  pages.post(
    '/developer/apps/:id',
    // Needs a fresh sign-in: a new redirect address could receive players' codes.
    signedIn(
      service,
      async (request, reply, visitor) => {
        const given = readDetails(request.body);
        const refusal = await catchInvalidInput(() =>
          updateApp(service, asDeveloper(visitor.session), appIdOf(request), given),
        );
        if (refusal) {
          const details = { given, errors: detailErrors(refusal, given) };
          return sendAppPage(service, request, reply.code(refusal.status), visitor, { details });
        }
        return reply.redirect(`${appPath(request)}?saved=true`, 303);
      },
      { fresh: true },
    ),
  );

  pages.post(
    '/developer/apps/:id/auto-approval',
    signedIn(service, async (request, reply, { session }) => {
      await requestAutoApproval(service, asDeveloper(session), appIdOf(request));
      return reply.redirect(appPath(request), 303);
    }),
  );
}
