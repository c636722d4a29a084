import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { signOutEverywhere } from '../../usecases/person/sign-out-everywhere.ts';
import type { Service } from '../../usecases/service.ts';
import { refuseOtherMethods } from '../../web/other-methods.ts';
import { clearSessionCookie, signedIn } from '../../web/visitor.ts';
import { form, sendAccountPage } from './frame.ts';

const PATH = '/account/sessions';

export function sessionsRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) =>
      sendAccountPage(
        reply,
        'Sign out everywhere',
        html`<p>Have you lost a phone, or used somebody else’s computer? This signs you out in every browser, here too.</p>
<p>Games are not signed out: they keep the access you gave them, until you <a href="/account/apps">take it back</a>.</p>
${form(visitor, PATH, PATH, html`<button class="primary">Sign out everywhere</button>`)}`,
      ),
    ),
  );
  pages.post(
    PATH,
    signedIn(service, async (_request, reply, { user }) => {
      await signOutEverywhere(service, user.id);
      clearSessionCookie(service, reply);
      return reply.redirect('/sign-in', 303);
    }),
  );
  refuseOtherMethods(pages, PATH, ['GET', 'HEAD', 'POST']);
}
