import { pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { listApps } from '../../../../views/apps/show-app.ts';
import type { SignedInRoutes } from '../../../../web/visitor.ts';

/** What the documentation links to. It is the same for everybody, so it knows nobody's apps. */
const LINKED = ['keys', 'webhooks'] as const;

/** GET /developer/keys and /developer/webhooks lead to that section of a developer's only app, or else to the list of apps. */
export function sectionLinks(visitors: SignedInRoutes, service: Service): void {
  for (const section of LINKED) {
    visitors.get(`/developer/${section}`, async (_request, reply, { session }) => {
      const [first, ...others] = await listApps(service, asDeveloper(session));
      const path = first && others.length === 0 ? `${pathOfApp(first.app.id)}/${section}` : '/developer';
      return reply.redirect(path, 303);
    });
  }
}
