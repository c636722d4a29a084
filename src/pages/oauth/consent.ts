import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import { answerConsent } from '../../features/accounts/connected-games.ts';
import { type App, lookUpLivingApp } from '../../identity/apps.ts';
import { parseScopes, type Scope } from '../../identity/callers.ts';
import type { User } from '../../identity/users.ts';
import { NO_REDIRECT } from '../../oauth/clients.ts';
import { findInteraction, finishInteraction, type Interaction } from '../../oauth/interactions.ts';
import type { Session } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { READY_SCRIPT } from '../../web/assets.ts';
import { asker, branding } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { coin, icon } from '../../web/icons.ts';
import { type Frame, layout, type Markup, type Page } from '../../web/layout.ts';
import { rememberReader } from '../../web/readers-words.ts';
import { parameter } from '../../web/request-parameters.ts';
import { afterSending, formTargets } from '../../web/result-delivery.ts';
import { sendPage } from '../../web/send-page.ts';
import { anyAccountAddress, readVisitor, signedInRoutes, signInAddress, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { accountChoice } from './account-choice.ts';
import { sendSuspended } from './authorize.ts';
import { askAgainAddress, INTERACTION_COOKIE, INTERACTION_ROUTE, interactionPath } from './interaction-address.ts';

const SIGNS: Readonly<Record<Scope, Markup>> = {
  openid: icon('key'),
  profile: icon('person'),
  email: icon('mail'),
  wallet: coin(),
  requests: icon('games'),
};

export type ConsentPage = Frame & {
  readonly app: App;
  readonly user: User;
  readonly scopes: readonly Scope[];
  /** Where the answer goes. */
  readonly redirectUri: string;
  /** The page's own path. */
  readonly path: string;
  readonly csrf: string;
  /** Leads to the app once more after the answer. */
  readonly again: string;
  /** The service's name. */
  readonly brand: string;
};

/** Asks for consent: shows the game, what it may do, and where the player continues. */
function consentPage(words: Words, page: ConsentPage): Page {
  const texts = words.consent;
  const { app, user, scopes, redirectUri, path, csrf, again, brand } = page;
  return layout(
    page,
    texts.title,
    html`<main>
${branding(words, app)}
<h1>${asker(words, app)}${texts.asks(brand)}</h1>
<p>${texts.can}</p>
${scopeList(words, scopes)}
<dl>
<div><dt>${texts.signedInAs}</dt><dd><bdi>${user.displayName}</bdi> (<a href="/sign-out">${texts.notYou}</a>)</dd></div>
<div><dt>${texts.continueTo}</dt><dd>${destination(words, redirectUri)}</dd></div>
</dl>
<form method="post" action="${path}">
${hidden('csrf', csrf)}${hidden('page', path)}
<button class="primary" name="decision" value="allow">${texts.allow}</button>
<button class="secondary" name="decision" value="refuse">${texts.refuse}</button>
<p class="early hint" role="status"></p>
${redirectUri !== NO_REDIRECT && afterSending(words, app, words.messages.answered, again)}
</form>
<p class="hint">${texts.revocable}</p>
</main>`,
    READY_SCRIPT.path,
  );
}

/** What a game with consent may do. */
export function scopeList({ consent: texts }: Words, scopes: readonly Scope[]): Markup {
  return html`<ul class="scopes">${scopes.map((scope) => html`<li>${SIGNS[scope]}<span>${texts.scopes[scope]}</span></li>`)}</ul>`;
}

/** As a browser would show it: the host of a web address, or the scheme of an app. */
function destination({ consent: texts }: Words, redirectUri: string): string {
  if (redirectUri === NO_REDIRECT) return texts.toGame;
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : texts.toApp(protocol.slice(0, -1));
}

/**
 * What this session lacks to answer the request (OpenID Connect Core, section 3.1.2.1): nothing, a sign-in, or another user who
 * is not signed in.
 */
function signInDue(
  { reasons, params, sessionUid }: Interaction,
  session: Session,
): 'none' | 'sign-in' | 'another user' {
  // Every sign-in creates a new session.
  const signedInSince = session.uid !== sessionUid;
  const asked = ['login_prompt', 'select_account_prompt', 'create_prompt'];
  if (!signedInSince && asked.some((reason) => reasons.includes(reason))) return 'sign-in';
  const seconds = (Date.now() - session.signedInAt.getTime()) / 1000;
  if (params.max_age !== undefined && seconds > Number(params.max_age)) return 'sign-in';
  if (params.id_token_hint !== undefined && hintedUser(params.id_token_hint) !== session.userId) {
    return signedInSince && sessionUid !== null ? 'another user' : 'sign-in';
  }
  return 'none';
}

/** The provider has verified the token. */
function hintedUser(idToken: string): unknown {
  return JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()).sub;
}

/** Sign-in and consent, between an app's request and its answer. The provider redirects here and continues afterwards. */
export function interactionRoutes(server: FastifyInstance, service: Service): void {
  const visitors = signedInRoutes(server, service);
  server.get(INTERACTION_ROUTE, async (request, reply) => {
    const interaction = await interactionOf(service, request);
    const app = await lookUpLivingApp(service.db, interaction.appId);
    if (app?.suspendedAt) return sendSuspended(request, reply, app);
    const visitor = await readVisitor(service, request);
    if (visitor && app && interaction.prompt === 'select_account' && isSame(interaction, visitor)) {
      return askAccount(reply, interaction, app, visitor);
    }
    return interaction.prompt === 'consent'
      ? ask(service, reply, interaction, app, visitor)
      : signIn(service, reply, interaction, visitor);
  });

  visitors.post(INTERACTION_ROUTE, async (request, reply, visitor) => {
    const interaction = await interactionOf(service, request);
    const decision = parameter(request.body, 'decision');
    if (interaction.prompt === 'select_account' && decision === 'continue' && isSame(interaction, visitor)) {
      const { uid } = interaction;
      return reply.redirect(await finishInteraction(service.db, uid, visitor.session, { chosen: true }), 303);
    }
    if (interaction.prompt !== 'consent' || !isSame(interaction, visitor)) throw changed();
    if (decision !== 'allow' && decision !== 'refuse') throw new Problem('invalid-input', 'No decision was sent.');
    return reply.redirect(await answerConsent(service, visitor.session, interaction, decision === 'allow'), 303);
  });
}

/** The interaction of this address, only for the browser that started it: nobody can be tricked into consent for another browser. */
async function interactionOf(service: Service, request: FastifyRequest): Promise<Interaction> {
  const { uid } = request.params as { uid: string };
  const interaction = request.cookies[INTERACTION_COOKIE] === uid ? await findInteraction(service.db, uid) : null;
  if (!interaction) throw changed();
  rememberReader(request, { asked: interaction.params.ui_locales });
  return interaction;
}

function changed(): Problem {
  return new Problem('token-expired', 'The request is not open any more.');
}

/** Whether the session is still the one that started the interaction. */
function isSame({ sessionUid }: Interaction, { session }: Visitor): boolean {
  return sessionUid === session.uid;
}

async function signIn(service: Service, reply: FastifyReply, interaction: Interaction, visitor: Visitor | null) {
  const due = visitor ? signInDue(interaction, visitor.session) : 'sign-in';
  if (!visitor || due === 'sign-in') return reply.redirect(signInPage(interaction, visitor), 303);
  const result =
    due === 'none'
      ? ({ signedIn: true } as const)
      : ({ error: 'login_required', description: 'another user has signed in' } as const);
  return reply.redirect(await finishInteraction(service.db, interaction.uid, visitor.session, result), 303);
}

function signInPage(interaction: Interaction, visitor: Visitor | null): string {
  const { uid, params } = interaction;
  const { inline, login_hint: hint, ui_locales: asked } = params;
  const path = interactionPath(uid) + (asked === undefined ? '' : `?${new URLSearchParams({ ui_locales: asked })}`);
  const look = new URLSearchParams({ ...(inline && { inline }), ...(hint && { login_hint: hint }) });
  const address = addressToSignIn(interaction, visitor, path);
  return look.size > 0 ? `${address}&${look}` : address;
}

function addressToSignIn({ prompt, params }: Interaction, visitor: Visitor | null, path: string): string {
  if (prompt === 'create') return `/sign-up?${new URLSearchParams({ any: 'true', return_to: path })}`;
  if (params.force_signup === 'true' && !visitor) return `/sign-up?${new URLSearchParams({ return_to: path })}`;
  return prompt === 'select_account' ? anyAccountAddress(path) : signInAddress(path, visitor !== null);
}

/** Somebody who is signed in goes on with this account, or signs in with another one. */
async function askAccount(reply: FastifyReply, interaction: Interaction, app: App, visitor: Visitor) {
  const { redirect_uri: redirectUri = '', inline } = interaction.params;
  const page = accountChoice(reply.request.words, {
    ...{ app, user: visitor.user, csrf: visitor.csrf },
    path: interactionPath(interaction.uid),
    other: signInPage(interaction, visitor),
    again: redirectUri === NO_REDIRECT ? null : askAgainAddress(interaction),
    inline: inline === 'true',
  });
  const targets = redirectUri === NO_REDIRECT ? [] : formTargets(redirectUri, app.redirectUris);
  return sendPage(reply, page, { formTargets: targets, opener: true });
}

async function ask(
  service: Service,
  reply: FastifyReply,
  interaction: Interaction,
  app: App | null,
  visitor: Visitor | null,
) {
  if (!app || !visitor || !isSame(interaction, visitor)) throw changed();
  const { scope = '', redirect_uri: redirectUri = '', inline } = interaction.params;
  // The form's answer redirects to the app or to our own page. Browsers check such a redirect against form-action.
  const targets = redirectUri === NO_REDIRECT ? [] : formTargets(redirectUri, app.redirectUris);
  const { user, csrf } = visitor;
  const brand = service.settings.brandName;
  const scopes = parseScopes(scope);
  const path = interactionPath(interaction.uid);
  const again = askAgainAddress(interaction);
  const page = consentPage(reply.request.words, {
    app,
    user,
    scopes,
    redirectUri,
    path,
    csrf,
    again,
    brand,
    inline: inline === 'true',
  });
  return sendPage(reply, page, { formTargets: targets, script: true, opener: true });
}
