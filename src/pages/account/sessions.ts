import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { endOtherSession, signOutElsewhere } from '../../features/sessions/sign-out.ts';
import { type ListedSession, listSessionsOf, SESSION_DAYS } from '../../oauth/sessions.ts';
import type { Service } from '../../settlement/service.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { duration, form, moment, sendAccountPage } from './account-frame.ts';

const PATH = '/account/sessions';
const END_PATH = '/account/sessions/end';

/** Lists the user's sessions and ends them. It needs no recent sign-in, because signing others out must not be delayed. */
export function sessionsRoutes(pages: FastifyInstance, service: Service): void {
  const { sessionIdleMinutes } = service.settings;

  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => {
      const sessions = await listSessionsOf(service.db, visitor.user.id, sessionIdleMinutes);
      return sendAccountPage(reply, 'Where you’re signed in', content(visitor, sessions, sessionIdleMinutes));
    }),
  );
  pages.post(
    PATH,
    signedIn(service, async (_request, reply, { session }) => {
      await signOutElsewhere(service, session);
      return reply.redirect(PATH, 303);
    }),
  );
  pages.post(
    END_PATH,
    signedIn(service, async (request, reply, { session }) => {
      await endOtherSession(service, session, parameter(request.body, 'session') ?? '');
      return reply.redirect(PATH, 303);
    }),
  );
  pages.get(END_PATH, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
}

function content(visitor: Visitor, sessions: readonly ListedSession[], idleMinutes: number): Markup {
  const here = sessions.filter(({ uid }) => uid === visitor.session.uid);
  const others = sessions.filter(({ uid }) => uid !== visitor.session.uid);
  return html`<p>Don’t recognise one? Sign it out, then <a href="/account/password">change your password</a>.</p>
<ul class="rows">
${here.map((session) => row(session, form(visitor, '/sign-out', PATH, signOutButton(session)), true))}
${others.map((session) =>
  row(session, form(visitor, END_PATH, PATH, html`${hidden('session', session.uid)}${signOutButton(session)}`)),
)}
</ul>
${others.length > 0 && form(visitor, PATH, PATH, html`<button class="primary">Sign out everywhere else</button>`)}
<p class="hint">You’re signed out after ${duration(idleMinutes)} without use, and ${SESSION_DAYS} days after signing in. Games stay signed in until you <a href="/account/apps">end their access</a>.</p>`;
}

function row({ browser, signedInAt, usedAt, methods }: ListedSession, action: Markup, isHere = false): Markup {
  return html`<li>
<div><strong>${browser ?? 'Unknown browser'}</strong>
<p class="hint">${isHere ? 'This browser' : html`Last used ${moment(usedAt)}`}<br>Signed in ${moment(signedInAt)} with ${howOf(methods)}</p></div>
${action}
</li>`;
}

function howOf(methods: ListedSession['methods']): string {
  if (methods.includes('hwk')) return 'a passkey';
  return methods.includes('pwd') ? 'your password' : 'a code sent by e-mail';
}

function signOutButton({ browser }: ListedSession): Markup {
  return html`<button class="small">Sign out<span class="visually-hidden"> of ${browser ?? 'unknown browser'}</span></button>`;
}
