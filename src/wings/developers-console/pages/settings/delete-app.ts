import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { type AppDeletion, deleteApp, prepareAppDeletion } from '../../../../features/apps/delete-app.ts';
import { MAX_NAME_CHARACTERS } from '../../../../identity/app-name.ts';
import { appConsolePage, appIdOf, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { field } from '../../../../web/fields.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { catchInvalidInput } from '../../../../web/page-scope.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';

const PATH = '/developer/apps/:id/settings/delete';

/** GET …/settings/delete says what is lost, POST deletes the app. Both need a fresh sign-in of its owner. */
export function deletionRoutes(visitors: SignedInRoutes, service: Service): void {
  const show = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, error?: string) => {
    const deletion = await prepareAppDeletion(service, asDeveloper(visitor.session), appIdOf(request));
    return sendConsolePage(reply, deletionPage(deletion, visitor, error));
  };
  visitors.get(PATH, { fresh: true }, (request, reply, visitor) => show(request, reply, visitor));
  visitors.post(PATH, { fresh: true, action: 'delete an app' }, async (request, reply, visitor) => {
    const typed = parameter(request.body, 'name') ?? '';
    const refusal = await catchInvalidInput(() =>
      deleteApp(service, asDeveloper(visitor.session), appIdOf(request), typed),
    );
    if (refusal) return show(request, reply.code(400), visitor, 'This is not the name of the app.');
    return reply.redirect('/developer?deleted=true', 303);
  });
}

function deletionPage(deletion: AppDeletion, visitor: Visitor, error: string | undefined): Page {
  const { app } = deletion;
  const path = `${pathOfApp(app.id)}/settings/delete`;
  const confirmation = html`${field({
    name: 'name',
    label: 'Type the name of the app to confirm',
    autocomplete: 'off',
    maxlength: MAX_NAME_CHARACTERS,
    hint: app.name,
    error,
  })}
<button class="danger">Delete app</button>
<p><a href="${pathOfApp(app.id)}/settings">Cancel</a></p>`;
  const content = html`<section class="card">
${whatIsLost(deletion)}
<ul>
<li>Its keys, client secrets and webhooks stop working at once.</li>
<li>Players’ open requests are cancelled, and their access and spending limits end.</li>
<li>Your team loses access.</li>
<li>Payments on their way still arrive. Players keep seeing the name in their activity.</li>
</ul>
<p><strong>This cannot be undone.</strong></p>
${consoleForm(visitor, path, path, confirmation)}
</section>`;
  return appConsolePage(app, 'settings', { title: 'Delete this app', content });
}

function whatIsLost({ balance, guests, guestQuarters }: AppDeletion): Markup {
  const own =
    balance > 0n &&
    html`<p class="notice bad">The app’s account holds <strong>${en.quarters(balance)}</strong>. Nobody can spend them after that. Pay them out first.</p>`;
  const theirs =
    guests > 0 &&
    html`<p class="notice bad"><strong>${en.number(BigInt(guests))} ${guests === 1 ? 'guest has' : 'guests have'} ${en.quarters(guestQuarters)}</strong> that only this app can reach. Ask them to create an account first.</p>`;
  return html`${own}${theirs}`;
}
