import type { FastifyInstance } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { basesOf } from '../../config/bases.ts';
import { listOwnApps } from '../../features/apps/list-own-apps.ts';
import type { CreatedApp } from '../../features/apps/new-app.ts';
import { registerApp } from '../../features/apps/register-app.ts';
import { USUAL_KEY_SCOPES } from '../../identity/app-keys.ts';
import type { Service } from '../../settlement/service.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn } from '../../web/visitor.ts';
import { detailErrors, NO_DETAILS, readDetails } from './app-form.ts';
import { appsPage } from './apps-page.ts';
import { sendConsolePage } from './developer-page.ts';
import type { NewSecret } from './example-calls.ts';
import { newAppPage } from './new-app-page.ts';
import { secretsPage } from './secrets-page.ts';

/** GET /developer lists a developer's apps, /developer/apps/new registers one. */
export function newAppRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/developer',
    signedIn(service, async (_request, reply, { user }) =>
      sendConsolePage(reply, appsPage(await listOwnApps(service, user.id))),
    ),
  );

  pages.get(
    '/developer/apps/new',
    signedIn(service, async (_request, reply, { csrf }) =>
      sendConsolePage(reply, newAppPage({ csrf, details: NO_DETAILS, publicClient: false, errors: {} })),
    ),
  );
  pages.post(
    '/developer/apps/new',
    signedIn(service, async ({ body }, reply, { user, csrf }) => {
      const details = readDetails(body);
      const publicClient = parameter(body, 'public_client') === 'on';
      try {
        const created = await registerApp(service, user.id, { ...details, publicClient });
        const { app, address } = created;
        const bases = basesOf(service.settings, service.publicUrl);
        const title = `${app.name} is registered`;
        return await sendConsolePage(reply, secretsPage({ title, app, address, secrets: secretsOf(created), bases }));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const errors = detailErrors(error, details);
        const refusal = error.faults.length === 0 ? { refusal: error.message } : {};
        return sendConsolePage(
          reply.code(error.status),
          newAppPage({ csrf, details, publicClient, errors, ...refusal }),
        );
      }
    }),
  );
}

function secretsOf({ serverKey, clientSecret }: CreatedApp): NewSecret[] {
  return [
    { kind: 'server', secret: serverKey, scopes: USUAL_KEY_SCOPES },
    ...(clientSecret === null ? [] : [{ kind: 'client', secret: clientSecret, scopes: [] } as const]),
  ];
}
