import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { APP_ID_PATTERN, type AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { withThousands } from '../../base/quarters.ts';
import {
  type Access,
  listAccess,
  signOutOfGames,
  withdrawAccess,
  withdrawMandate,
} from '../../features/accounts/connected-games.ts';
import { SCOPES } from '../../identity/callers.ts';
import type { Service } from '../../settlement/service.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import { appName, changed, day, form, noticeOf, quarters, sendAccountPage } from './account-frame.ts';

const PATH = '/account/apps';
const WITHDRAW_PATH = '/account/apps/withdraw';
const SIGN_OUT_PATH = '/account/apps/sign-out';

const APP_ID = new RegExp(APP_ID_PATTERN);

export function connectedGamesRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (request, reply, visitor) =>
      show(reply, visitor, noticeOf(request), await listAccess(service, visitor.user)),
    ),
  );
  pages.post(
    WITHDRAW_PATH,
    signedIn(service, async (request, reply, { user }) => {
      const app = parameter(request.body, 'app') ?? '';
      const what = parameter(request.body, 'what');
      if (!APP_ID.test(app)) throw new Problem('invalid-input', 'No app was named.');
      if (what === 'access') await withdrawAccess(service, user.id, app as AppId);
      else if (what === 'mandate') await withdrawMandate(service, user.id, app as AppId);
      else throw new Problem('invalid-input', 'What to withdraw is missing.');
      return reply.redirect(PATH, 303);
    }),
  );
  pages.post(
    SIGN_OUT_PATH,
    signedIn(
      service,
      async (request, reply, { session }) => {
        await signOutOfGames(service, session);
        return changed(reply, 'games', safeReturn(parameter(request.body, 'page'), service.publicUrl));
      },
      { fresh: true },
    ),
  );
  for (const path of [WITHDRAW_PATH, SIGN_OUT_PATH]) {
    pages.get(path, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
  }
}

function show(reply: FastifyReply, visitor: Visitor, notice: Markup | null, accesses: readonly Access[]) {
  const content =
    accesses.length === 0
      ? html`${notice}<p>No game has access to your account.</p>`
      : html`${notice}<p>These games have access to your account. Changes apply at once. Past payments stay paid.</p>
${accesses.map((access) => section(visitor, access))}
${
  accesses.length > 1 &&
  html`<section>
<h2>All games</h2>
${signOutOfGamesForm(visitor, PATH)}
</section>`
}`;
  return sendAccountPage(reply, 'Connected games', content);
}

/** `page`: where the form leads back to. */
export function signOutOfGamesForm(visitor: Visitor, page: string): Markup {
  return html`<p class="hint">Signing out ends their access and spending limits. Each game asks you again when you next sign in to it.</p>
${form(visitor, SIGN_OUT_PATH, page, html`<button class="secondary">Sign out of all games</button>`)}`;
}

function section(visitor: Visitor, { app, consent, mandate }: Access): Markup {
  const button = (what: 'access' | 'mandate', label: string) =>
    form(
      visitor,
      WITHDRAW_PATH,
      PATH,
      html`${hidden('app', app.id)}${hidden('what', what)}<button class="secondary small">${label}<span class="visually-hidden"> for ${appName(app)}</span></button>`,
    );
  return html`<section>
<h2>${appName(app)}</h2>
${
  consent &&
  html`<p>Since ${day(consent.grantedAt)}, it can:</p>
<ul>${consent.scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}</ul>`
}
${
  mandate &&
  html`<p>Spending limit: up to <strong>${quarters(mandate.maxPerTransfer)} at a time and ${withThousands(mandate.maxPerDay)} a day</strong> without asking, until ${day(mandate.expiresAt)}.</p>
${button('mandate', 'Ask me every time')}`
}
${consent && button('access', 'Remove all access')}
</section>`;
}
