import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { endOtherSession, signOutElsewhere } from '../../features/sessions/sign-out.ts';
import { type ListedSession, listSessionsOf, SESSION_DAYS } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { card, duration, form, moment, sendAccountPage } from './account-frame.ts';

const PATH = '/account/sessions';
const END_PATH = '/account/sessions/end';

/** Lists the user's sessions and ends them. It needs no recent sign-in, because signing others out must not be delayed. */
export function sessionsRoutes(pages: FastifyInstance, service: Service): void {
  const { sessionIdleMinutes } = service.settings;

  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => {
      const { words } = reply.request;
      const sessions = await listSessionsOf(service.db, visitor.user.id, sessionIdleMinutes);
      return sendAccountPage(reply, words.account.sessions, content(words, visitor, sessions, sessionIdleMinutes), {
        times: true,
      });
    }),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (_request, reply, { session }) => {
        await signOutElsewhere(service, session);
        return reply.redirect(PATH, 303);
      },
      { action: ({ continueForm }) => continueForm.endSessions },
    ),
  );
  pages.post(
    END_PATH,
    signedIn(
      service,
      async (request, reply, { session }) => {
        await endOtherSession(service, session, parameter(request.body, 'session') ?? '');
        return reply.redirect(PATH, 303);
      },
      { action: ({ continueForm }) => continueForm.endSession },
    ),
  );
  pages.get(END_PATH, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
}

function content(words: Words, visitor: Visitor, sessions: readonly ListedSession[], idleMinutes: number): Markup {
  const says = words.account.sessionList;
  const here = sessions.filter(({ uid }) => uid === visitor.session.uid);
  const others = sessions.filter(({ uid }) => uid !== visitor.session.uid);
  const changePassword = html`<a href="/account/password">${says.changePassword}</a>`;
  const endAccess = html`<a href="/account/apps">${says.endAccess}</a>`;
  const list = html`<ul class="rows">
${here.map((session) => row(words, session, form(visitor, '/sign-out', PATH, signOutButton(words, session)), true))}
${others.map((session) =>
  row(
    words,
    session,
    form(visitor, END_PATH, PATH, html`${hidden('session', session.uid)}${signOutButton(words, session)}`),
  ),
)}
</ul>
${others.length > 0 && form(visitor, PATH, PATH, html`<button class="primary">${says.signOutElsewhere}</button>`)}`;
  return html`<p>${says.intro(changePassword)}</p>
${card(list)}
<p class="hint">${says.limits(duration(words, idleMinutes), SESSION_DAYS, endAccess)}</p>`;
}

function row(
  words: Words,
  { browser, signedInAt, usedAt, methods }: ListedSession,
  action: Markup,
  isHere = false,
): Markup {
  const says = words.account.sessionList;
  return html`<li>
<div><strong>${browser ?? words.browsers.unknown}</strong>
<p class="hint">${isHere ? says.here : says.lastUsed(moment(words, usedAt))}<br>${says.signedIn(moment(words, signedInAt), howOf(words, methods))}</p></div>
${action}
</li>`;
}

function howOf({ account: { sessionList: says } }: Words, methods: ListedSession['methods']): string {
  if (methods.includes('hwk')) return says.byPasskey;
  return methods.includes('pwd') ? says.byPassword : says.byCode;
}

function signOutButton(words: Words, { browser }: ListedSession): Markup {
  const says = words.account.sessionList;
  return html`<button class="small" aria-label="${says.signOutOf(browser ?? words.browsers.unknown)}">${says.signOut}</button>`;
}
