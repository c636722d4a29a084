import { html } from 'hono/html';
import { type App, lookUpNamedApp } from '../../identity/apps.ts';
import { lookUpNamedUser } from '../../identity/users.ts';
import { NO_REDIRECT, PAGE_MODE } from '../../oauth/clients.ts';
import type { OAuthContext, Views } from '../../oauth/provider.ts';
import type { Service } from '../../service/service.ts';
import { RESULT_SCRIPT } from '../../web/assets.ts';
import { icon } from '../../web/icons.ts';
import { choiceAt, SAME_PAGE } from '../../web/language-choice.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { messageBody, type PageMessage } from '../../web/message-page.ts';
import { readersWords } from '../../web/readers-words.ts';
import { frameIdOf, isInline } from '../../web/request-parameters.ts';
import {
  deliveryAttributes,
  type ResultDelivery,
  type ResultFields,
  resultAddress,
  wayBackOf,
} from '../../web/result-delivery.ts';
import { languageHeaders, type PageHeaders, pageHeaders, runsScripts } from '../../web/send-page.ts';
import { type PageContext, renderPage, type Shell } from '../../web/shell.ts';
import { wayBack } from '../../web/way-back.ts';
import type { Words } from '../../words/words.ts';
import { EXISTING_REDIRECT_MODE, isExistingClient } from './authorize.ts';

type Answer = Readonly<Record<string, unknown>>;
type ResponseMode = Views['responseModes'][string];

/** What the provider's pages are made with. */
export type PageParts = { readonly service: Pick<Service, 'db' | 'languages' | 'publicUrl'>; readonly shell: Shell };

/** The response modes besides a standard redirect. */
export function responseModes({ service, shell }: PageParts): Views['responseModes'] {
  const byPage: ResponseMode = async (ctx, redirectUri, answer) => {
    const words = await wordsOfReader(service, ctx);
    const app = (await lookUpNamedApp(service.db, ctx.oidc.client!.clientId))!;
    const redirect = redirectUri === NO_REDIRECT ? undefined : answerAddress(words, redirectUri, answer, paramsOf(ctx));
    const channel = { ...channelOf(ctx), app, redirect };
    const isSignedIn = answer.error === undefined;
    // The provider has set 303 for some errors.
    ctx.status = isSignedIn ? 200 : 400;
    const page = isSignedIn
      ? signedInPage(words, ctx, { ...channel, result: resultOf(answer) })
      : failedPage(words, ctx, answer, channel);
    await showOAuthPage(words, shell, ctx, page, { script: true });
  };
  const byExistingRedirect: ResponseMode = async (ctx, redirectUri, answer) => {
    ctx.status = 303;
    ctx.redirect(answerAddress(await wordsOfReader(service, ctx), redirectUri, answer, paramsOf(ctx)));
  };
  return { [PAGE_MODE]: byPage, [EXISTING_REDIRECT_MODE]: byExistingRedirect };
}

/** The request parameters, as far as the provider has read them. */
function paramsOf({ oidc, query }: OAuthContext): Answer {
  return (oidc.params as Answer | undefined) ?? query;
}

/** The language of a page of the provider. */
export async function wordsOfReader(service: PageParts['service'], ctx: OAuthContext): Promise<Words> {
  const { accountId } = ctx.oidc.session ?? {};
  const user = accountId === undefined ? null : await lookUpNamedUser(service.db, accountId);
  // The provider reads no `locale`, with which somebody chooses another language on one of these pages.
  const parameters = [ctx.query, paramsOf(ctx)];
  return readersWords(service, { headers: ctx.headers, parameters, language: user?.locale });
}

/** How a page of the provider delivers its result. */
function channelOf(ctx: OAuthContext): Pick<ResultDelivery, 'frameId' | 'forOurFrame'> {
  const params = paramsOf(ctx);
  return { frameId: frameIdOf(params), forOurFrame: params.opened_by === 'frame' };
}

/** The result for a game's page, with `state` if the game sent one. */
function resultOf({ code, state }: Answer): ResultFields {
  return { success: true, code: String(code), ...(state !== undefined && { state: String(state) }) };
}

/**
 * Existing clients get `success=true` first, as they ignore a redirect with a single parameter. All others get the answer of
 * RFC 6749 (section 4.1.2) and RFC 9207.
 */
function answerAddress(words: Words, redirectUri: string, answer: Answer, params: Answer): string {
  if (!isExistingClient(params)) {
    const { state, ...fields } = answer as Record<string, string>;
    return resultAddress(redirectUri, fields, state);
  }
  const fields =
    answer.error === undefined
      ? resultOf(answer)
      : { error: errorText(words, answer), message: errorText(words, answer) };
  // A standard client that we cannot tell from an existing one still finds the issuer (RFC 9207); existing ones ignore it.
  return resultAddress(redirectUri, { ...fields, iss: String(answer.iss) });
}

/** For the game's developer and its player. */
function errorText({ authorization: texts }: Words, { error, error_description: description }: Answer): string {
  if (error === 'access_denied' || error === 'server_error') return texts.errors[error];
  return String(description ?? error);
}

function signedInPage(words: Words, ctx: OAuthContext, delivery: ResultDelivery): Page {
  const texts = words.authorization;
  return page(
    ctx,
    texts.done,
    html`<main${deliveryAttributes(delivery)}>
<p class="sign approved" aria-hidden="true">${icon('check')}</p>
<h1>${texts.done}</h1>
${wayBackOf(words, delivery)}
</main>`,
  );
}

function failedPage(words: Words, ctx: OAuthContext, answer: Answer, channel: Omit<ResultDelivery, 'result'>): Page {
  const texts = words.authorization;
  const delivery = { ...channel, result: { error: errorText(words, answer) } };
  const refused = answer.error === 'access_denied';
  const title = refused ? texts.refused : texts.failed;
  return page(
    ctx,
    title,
    html`<main${deliveryAttributes(delivery)}>
<p class="${refused ? 'sign' : 'sign failed'}" aria-hidden="true">${icon(refused ? 'minus' : 'alert')}</p>
<h1>${title}</h1>
<p>${texts.nothingShared}</p>
${wayBackOf(words, delivery)}
</main>`,
  );
}

function page(ctx: OAuthContext, title: string, main: Markup): Page {
  return layout({ inline: isInline(paramsOf(ctx)) }, title, main, RESULT_SCRIPT.path);
}

/** Routes whose answers people read; all other endpoints answer programs. */
const PAGES: ReadonlySet<string> = new Set([
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
]);

/** What is wrong, by the provider's word for it. */
function textsOf({ authorization: texts }: Words, what: string): Omit<PageMessage, 'status'> {
  const known: Readonly<Record<string, Omit<PageMessage, 'status'>>> = {
    invalid_client: texts.unknownGame,
    invalid_redirect_uri: texts.wrongAddress,
    session_not_found: texts.expired,
    server_error: texts.broken,
  };
  return known[what] ?? texts.other;
}

type Out = { readonly error: string; readonly error_description?: string | undefined };

/**
 * Shows an error that cannot be redirected, as the address is missing or wrong. If the app is known, its page that opened this
 * window gets the error too.
 */
export async function renderOAuthError(
  { service, shell }: PageParts,
  ctx: OAuthContext,
  out: Out,
  error: Error,
): Promise<void> {
  if (!PAGES.has(ctx.oidc.route)) {
    ctx.body = out;
    return;
  }
  const words = await wordsOfReader(service, ctx);
  const what = error.name === 'SessionNotFound' ? 'session_not_found' : out.error;
  const { title, text } = textsOf(words, what);
  const description = out.error_description && html`<bdi lang="en">${out.error_description}</bdi>`;
  const details = words.authorization.forDeveloper(html`<code>${out.error}</code>`, description ?? '');
  const status = what === 'session_not_found' ? 401 : 400;
  const app = await appOf(service.db, ctx);
  const audience = app && deliveryAttributes({ ...channelOf(ctx), app, result: { error: errorText(words, out) } });
  const page = layout(
    { inline: isInline(paramsOf(ctx)) },
    title,
    html`<main${audience}>${messageBody(words, { status, title, text }, shell)}<p class="hint">${details}</p>${app && wayBack(words, { app })}</main>`,
    audience ? RESULT_SCRIPT.path : undefined,
  );
  await showOAuthPage(words, shell, ctx, page, {
    script: true,
    choice: choiceAt(service.languages, ctx.oidc.route === 'end_session_confirm' ? '/oauth/logout' : SAME_PAGE),
  });
}

/** The app that asks for an authorization. At logout no game waits for a result. */
async function appOf(db: Service['db'], { oidc }: OAuthContext): Promise<App | null> {
  const asks = oidc.route === 'authorization' || oidc.route === 'resume';
  return asks && oidc.client ? lookUpNamedApp(db, oidc.client.clientId) : null;
}

/** Shows a page of the provider, always at top level: nobody signs in inside a frame. */
export async function showOAuthPage(
  words: Words,
  shell: Shell,
  ctx: OAuthContext,
  page: Page,
  { choice, ...headers }: Pick<PageHeaders, 'script' | 'formTargets'> & { readonly choice?: PageContext['choice'] },
): Promise<void> {
  ctx.set({ ...pageHeaders({ opener: true, ...headers }), ...languageHeaders(page, words) });
  ctx.type = 'html';
  const context = { words, framed: false, runsScripts: runsScripts(headers), choice };
  ctx.body = String(await renderPage(shell, page, context));
}
