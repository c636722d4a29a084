import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { signOut } from '../../features/sessions/sign-out.ts';
import { findRedirectUri } from '../../identity/app-addresses.ts';
import { type App, lookUpNamedLivingApp } from '../../identity/apps.ts';
import type { Views } from '../../oauth/provider.ts';
import type { Service } from '../../service/service.ts';
import { RESULT_SCRIPT } from '../../web/assets.ts';
import { asker, branding } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { checksForm } from '../../web/form-guard.ts';
import { addressOfPage, choiceAt } from '../../web/language-choice.ts';
import { layout, type Page } from '../../web/layout.ts';
import { messagePage } from '../../web/message-page.ts';
import { offerOwnWindow } from '../../web/own-window.ts';
import { pageHead } from '../../web/page-head.ts';
import { frameIdOf, isFramed, isInline, parameter } from '../../web/request-parameters.ts';
import {
  afterSending,
  deliveryAttributes,
  formTargets,
  type ResultDelivery,
  resultAddress,
  sendFailure,
  wayBackOf,
} from '../../web/result-delivery.ts';
import { pageHeaders, sendMessage, sendPage } from '../../web/send-page.ts';
import { clearSessionCookie, sessionCookie } from '../../web/session-cookie.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { readVisitor, signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { type PageParts, showOAuthPage, wordsOfReader } from './authorization-result.ts';
import { unknownGame } from './authorize.ts';

const PATH = '/logout';

/** A checked logout request of a game. */
type LogoutRequest = {
  readonly app: App;
  readonly inline: boolean;
  /** The registered address to which the player is redirected afterwards. */
  readonly named: string | undefined;
  readonly frameId: string | undefined;
  readonly forOurFrame: boolean;
  readonly locale: string | undefined;
};

/**
 * GET /logout, as existing clients call it: with `client_id` and one of `frame_id` and `redirect_uri`. We ask first, at top level, so
 * that no page can sign a player out unseen. Logout ends our own session in this browser, and no game's access. The game gets
 * `success=true` or `cancel=true`.
 */
export function logoutRoutes(server: FastifyInstance, service: Service): void {
  server.get(PATH, async (request, reply) => {
    const logout = await readLogoutRequest(service, request, reply, request.query);
    if (!logout) return reply;
    if (isFramed(request.headers)) return offerWindow(request, reply, logout);
    const visitor = await readVisitor(service, request);
    return visitor ? ask(reply, logout, visitor) : deliver(reply, logout, 'success');
  });

  const end = signedIn(service, async (request, reply) => {
    const logout = await readLogoutRequest(service, request, reply, request.body);
    if (!logout) return reply;
    if (parameter(request.body, 'decision') !== 'sign-out') return deliver(reply, logout, 'cancel');
    await signOut(service, sessionCookie(service, request)!);
    clearSessionCookie(service, reply);
    return deliver(reply, logout, 'success');
  });

  const endOrDeliver = async (request: FastifyRequest, reply: FastifyReply) => {
    if (await readVisitor(service, request)) return end(request, reply);
    // Already signed out in another tab: do not ask for a sign-in.
    const logout = await readLogoutRequest(service, request, reply, request.body);
    return logout ? deliver(reply, logout, 'success') : reply;
  };
  server.post(PATH, checksForm(endOrDeliver));
}

/** Null: it was refused with a page that says why. */
async function readLogoutRequest(
  { db }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: unknown,
): Promise<LogoutRequest | null> {
  const { words } = request;
  const app = await lookUpNamedLivingApp(db, parameter(parameters, 'client_id') ?? '');
  const [named, frameId] = [parameter(parameters, 'redirect_uri'), frameIdOf(parameters)];
  if (!app) {
    await sendMessage(request, reply, unknownGame(words), []);
    return null;
  }
  const redirect = named === undefined ? undefined : findRedirectUri(app.redirectUris, named);
  if (redirect === null) {
    await sendFailure(request, reply, { status: 400, ...words.logout.wrongAddress }, { app, frameId });
    return null;
  }
  const forOurFrame = parameter(parameters, 'opened_by') === 'frame';
  const locale = parameter(parameters, 'locale');
  return { app, inline: isInline(parameters), named: redirect, frameId, forOurFrame, locale };
}

/** The parameters that the form or the window carries on. */
function carried({ app, inline, named, frameId, forOurFrame, locale }: LogoutRequest): Record<string, string> {
  return {
    client_id: app.id,
    ...(inline && { inline: 'true' }),
    ...(named !== undefined && { redirect_uri: named }),
    ...(frameId !== undefined && { frame_id: frameId }),
    ...(forOurFrame && { opened_by: 'frame' }),
    ...(locale !== undefined && { locale }),
  };
}

function ask(reply: FastifyReply, logout: LogoutRequest, { user, csrf }: Visitor) {
  const { words } = reply.request;
  const texts = words.logout;
  const { app, inline, named, forOurFrame } = logout;
  const targets = named === undefined || forOurFrame ? [] : formTargets(named, app.redirectUris);
  const main = html`<main>
${branding(words, app)}
<h1>${asker(words, app)}${texts.asks(reply.server.shell.brandName)}</h1>
<p>${words.signOut.signedInAs(html`<strong>${shownEmail(user.email)}</strong>`)}${words.gap}${texts.keptAccess}</p>
<form method="post" action="${PATH}">
${Object.entries(carried(logout)).map(([name, value]) => hidden(name, value))}
${hidden('csrf', csrf)}
<button class="primary" name="decision" value="sign-out">${words.signOut.submit}</button>
<button class="secondary" name="decision" value="stay">${words.signOut.stay}</button>
${targets.length > 0 && afterSending(words, app, words.messages.answered)}
</form>
</main>`;
  return sendPage(reply, layout({ inline }, texts.title, main), { formTargets: targets, script: true, opener: true });
}

function deliver(reply: FastifyReply, logout: LogoutRequest, outcome: 'success' | 'cancel') {
  const { app, inline, named, frameId, forOurFrame } = logout;
  const result = { [outcome]: true };
  const redirect = named === undefined ? undefined : resultAddress(named, result);
  if (redirect !== undefined && !forOurFrame) {
    return reply.headers(pageHeaders({ opener: true })).redirect(redirect, 303);
  }
  const page = donePage(reply.request.words, inline, outcome, {
    result,
    app,
    frameId,
    forOurFrame,
    redirect,
  });
  const again = { action: PATH, hidden: { ...carried(logout), csrf: parameter(reply.request.body, 'csrf') } };
  return sendPage(reply, page, { script: true, opener: true, again });
}

function donePage(words: Words, inline: boolean, outcome: 'success' | 'cancel', delivery: ResultDelivery): Page {
  const title = outcome === 'success' ? words.signOut.done : words.logout.stayed;
  const main = html`<main${deliveryAttributes(delivery)}>${pageHead(words, title, { sign: 'check' })}${wayBackOf(words, delivery)}</main>`;
  return layout({ inline }, title, main, RESULT_SCRIPT.path);
}

/** In a frame we do not see who is signed in, and the game around us could sign the player out unseen. */
function offerWindow(request: FastifyRequest, reply: FastifyReply, logout: LogoutRequest) {
  const texts = request.words.logout;
  const { app, frameId } = logout;
  const { inline: _, frame_id: __, opened_by: ___, ...query } = carried(logout);
  return offerOwnWindow(reply, {
    inline: isInline(request.query),
    title: texts.title,
    asks: texts.asks(reply.server.shell.brandName),
    button: texts.open,
    windowPath: `${PATH}?${new URLSearchParams({ ...query, opened_by: 'frame' })}`,
    tabPath: `${PATH}?${new URLSearchParams(query)}`,
    app,
    frameId,
  });
}

/** The pages of GET /oauth/logout: OpenID Connect RP-Initiated Logout 1.0 (sections 2 and 3). */
export function logoutPages({ service, shell }: PageParts): Pick<Views, 'logoutSource' | 'postLogoutSuccessSource'> {
  return {
    async logoutSource(ctx) {
      const { secret = '', clientId, postLogoutRedirectUri, state } = (ctx.oidc.session?.state ?? {}) as LogoutState;
      const app = clientId === undefined ? null : await lookUpNamedLivingApp(service.db, clientId);
      // The form's answer redirects to the app. Browsers check such a redirect against form-action.
      const targets = app && postLogoutRedirectUri ? formTargets(postLogoutRedirectUri, app.redirectUris) : [];
      const back = targets.length > 0 ? withState(postLogoutRedirectUri!, state) : undefined;
      const words = await wordsOfReader(service, ctx);
      const page = confirmPage(words, shell.brandName, app, secret, back);
      const choice = choiceAt(service.languages, addressOfPage(ctx));
      await showOAuthPage(words, shell, ctx, page, { formTargets: targets, script: true, choice });
    },
    async postLogoutSuccessSource(ctx) {
      const words = await wordsOfReader(service, ctx);
      const page = messagePage(words, { inline: false }, { status: 200, ...words.logout.allDone }, shell);
      await showOAuthPage(words, shell, ctx, page, { choice: choiceAt(service.languages, addressOfPage(ctx)) });
    },
  };
}

/** What the provider has checked and stores until the form is sent. */
type LogoutState = {
  readonly secret?: string;
  readonly clientId?: string;
  readonly postLogoutRedirectUri?: string;
  readonly state?: string;
};

function withState(address: string, state: string | undefined): string {
  return state === undefined ? address : resultAddress(address, {}, state);
}

/** `back`: where the answer leads. */
function confirmPage(words: Words, brand: string, app: App | null, secret: string, back: string | undefined): Page {
  const texts = words.logout;
  return layout(
    { inline: false },
    texts.title,
    html`<main>
${app && branding(words, app)}
<h1>${app ? html`${asker(words, app)}${texts.asks(brand)}` : texts.question(brand)}</h1>
<p>${texts.keptAccess}</p>
<form method="post" action="/oauth/logout/confirm">
<input type="hidden" name="xsrf" value="${secret}">
<button class="primary" name="logout" value="yes">${words.signOut.submit}</button>
<button class="secondary">${words.signOut.stay}</button>
${back !== undefined && app && afterSending(words, app, words.messages.answered, back)}
</form>
</main>`,
  );
}
