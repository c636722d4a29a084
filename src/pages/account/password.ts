import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { changePassword } from '../../usecases/person/change-password.ts';
import type { Service } from '../../usecases/service.ts';
import { parameter } from '../../web/arrival.ts';
import { attempt } from '../../web/attempt.ts';
import { clientAddress } from '../../web/client-address.ts';
import { field } from '../../web/fields.ts';
import { keepBrowserKnown } from '../../web/known-browsers.ts';
import { refuseOtherMethods } from '../../web/other-methods.ts';
import { sessionCookie, signedIn, type Visitor } from '../../web/visitor.ts';
import { changed, form, sendAccountPage } from './frame.ts';

const PATH = '/account/password';

/** The password before is not asked for: who comes here has signed in within the last minutes, perhaps with a passkey. */
export function passwordRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => ask(reply, visitor), { fresh: true }),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const { user, session } = visitor;
        const given = { password: parameter(request.body, 'password') ?? '', client: clientAddress(request) };
        const refusal = await attempt(() => changePassword(service, user, session, given));
        if (refusal) return ask(reply.code(400), visitor, refusal.message);
        await keepBrowserKnown(service, request, reply, sessionCookie(service, request)!);
        return changed(reply, 'password');
      },
      { fresh: true },
    ),
  );
  refuseOtherMethods(pages, PATH, ['GET', 'HEAD', 'POST']);
}

function ask(reply: FastifyReply, visitor: Visitor, error?: string) {
  // The hidden address tells password managers whose password it is.
  const content = html`<input type="email" name="email" value="${visitor.user.email}" autocomplete="username" hidden>
${field({
  name: 'password',
  label: 'New password',
  type: 'password',
  autocomplete: 'new-password',
  error,
  hint: 'At least 8 characters. A few words in a row are good.',
})}
<p class="hint">You will be signed out everywhere else. Games keep the access you gave them.</p>
<button class="primary">Change the password</button>`;
  return sendAccountPage(reply, 'Change your password', form(visitor, PATH, PATH, content));
}
