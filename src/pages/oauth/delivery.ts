import { html } from 'hono/html';
import type { AppId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { NO_REDIRECT, PAGE_MODE } from '../../oauth/clients.ts';
import type { OAuthContext, Views } from '../../oauth/provider.ts';
import type { Service } from '../../settlement/service.ts';
import { RESULT_SCRIPT } from '../../web/assets.ts';
import { deliveryAttributes, frameIdOf, type ResultDelivery, wayBack } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { isInline } from '../../web/request-parameters.ts';
import { type ResultFields, resultAddress } from '../../web/result-address.ts';

type Answer = Readonly<Record<string, unknown>>;
type ResponseMode = Views['responseModes'][string];

/** A redirect as existing clients expect it. No client names our modes: {@link withResponseMode} adds them. */
const EXISTING_REDIRECT_MODE = 'quarters_redirect';

/**
 * The query of an authorization request, with the response mode that existing clients leave out. They send `frame_id` from a
 * frame, `redirect_uri` to get a redirect, and neither from a popup. They never send `state`, PKCE or a nonce, which tells them
 * from all other clients; requests of other clients are not changed.
 */
export function withResponseMode(query: URLSearchParams, { redirectUris }: Pick<App, 'redirectUris'>): URLSearchParams {
  // Without a value a parameter counts as absent (RFC 6749, section 3.1).
  const way = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const named = way.has('redirect_uri');
  const forOurFrame = way.get('opened_by') === 'frame';
  // Our own window ends on our own page, whatever the game's frame asked for.
  if (way.has('response_mode') && !forOurFrame) return way;
  const waits = forOurFrame || (!named && way.has('frame_id'));
  if (!waits && !isExisting(Object.fromEntries(way))) return way;
  way.set('response_mode', waits || !named ? PAGE_MODE : EXISTING_REDIRECT_MODE);
  // A popup without a listener redirects to the only registered address. A frame redirects nowhere.
  if (!named) way.set('redirect_uri', (!waits && redirectUris.length === 1 && redirectUris[0]) || NO_REDIRECT);
  return way;
}

function isExisting({ state, code_challenge, nonce }: Answer): boolean {
  return state === undefined && code_challenge === undefined && nonce === undefined;
}

/** The response modes besides a standard redirect. */
export function responseModes({ db }: Pick<Service, 'db'>): Views['responseModes'] {
  const byPage: ResponseMode = async (ctx, redirectUri, answer) => {
    const app = (await findApp(db, ctx.oidc.client!.clientId as AppId))!;
    const redirect = redirectUri === NO_REDIRECT ? undefined : answerAddress(redirectUri, answer, paramsOf(ctx));
    const way = { ...wayOf(ctx), app, redirect };
    // The provider has set 303 for some errors.
    ctx.status = answer.error === undefined ? 200 : 400;
    await show(
      ctx,
      answer.error === undefined
        ? signedInPage(ctx, { ...way, result: resultOf(answer) })
        : failedPage(ctx, answer, way),
    );
  };
  const byExistingRedirect: ResponseMode = async (ctx, redirectUri, answer) => {
    ctx.status = 303;
    ctx.redirect(answerAddress(redirectUri, answer, paramsOf(ctx)));
  };
  return { [PAGE_MODE]: byPage, [EXISTING_REDIRECT_MODE]: byExistingRedirect };
}

/** The request parameters, as far as the provider has read them. */
export function paramsOf({ oidc, query }: OAuthContext): Answer {
  return (oidc.params as Answer | undefined) ?? query;
}

/** How a page of the provider delivers its result. */
export function wayOf(ctx: OAuthContext): Pick<ResultDelivery, 'frameId' | 'forOurFrame'> {
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
function answerAddress(redirectUri: string, answer: Answer, params: Answer): string {
  if (!isExisting(params)) {
    const { state, ...fields } = answer as Record<string, string>;
    return resultAddress(redirectUri, fields, state);
  }
  const told = answer.error === undefined ? resultOf(answer) : { error: errorText(answer), message: errorText(answer) };
  // A standard client that we cannot tell from an existing one still finds the issuer (RFC 9207); existing ones ignore it.
  return resultAddress(redirectUri, { ...told, iss: String(answer.iss) });
}

/** For the game's developer and its player. */
export function errorText({ error, error_description: description }: Answer): string {
  if (error === 'access_denied') return 'The player did not allow it.';
  if (error === 'server_error') return 'Something went wrong on our side.';
  return String(description ?? error);
}

function signedInPage(ctx: OAuthContext, delivery: ResultDelivery): Markup {
  return page(
    ctx,
    'You are signed in',
    html`<main${deliveryAttributes(delivery)}>
<p class="sign approved" aria-hidden="true"></p>
<h1>You are signed in</h1>
<p>${wayBack(delivery)}</p>
</main>`,
  );
}

function failedPage(ctx: OAuthContext, answer: Answer, way: Omit<ResultDelivery, 'result'>): Markup {
  const delivery = { ...way, result: { error: errorText(answer) } };
  const title = answer.error === 'access_denied' ? 'You didn’t allow it' : 'You are not signed in to the game';
  return page(
    ctx,
    title,
    html`<main${deliveryAttributes(delivery)}>
<p class="sign failed" aria-hidden="true"></p>
<h1>${title}</h1>
<p>Nothing was shared. ${wayBack(delivery)}</p>
</main>`,
  );
}

function page(ctx: OAuthContext, title: string, main: Markup): Markup {
  return layout({ inline: isInline(paramsOf(ctx)) }, title, main, RESULT_SCRIPT.path);
}

/** Always at top level: nobody signs in inside a frame. */
async function show(ctx: OAuthContext, markup: Markup): Promise<void> {
  ctx.set(pageHeaders({ frameAncestors: [], script: true, opener: true }));
  ctx.type = 'html';
  ctx.body = String(await markup);
}
