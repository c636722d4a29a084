import { html } from 'hono/html';
import type { AppId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import type { OAuthContext, Views } from '../../oauth/provider.ts';
import type { Service } from '../../settlement/service.ts';
import { RESULT_SCRIPT } from '../../web/assets.ts';
import { deliveryAttributes } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { layout, type Markup } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { isInline } from '../../web/request-parameters.ts';
import { errorText, paramsOf, responseModes, wayOf } from './delivery.ts';
import { UNKNOWN_GAME } from './framed.ts';
import { logoutPages } from './logout-pages.ts';

/** Replaces the pages of the provider's library, which have inline styles and outside fonts. */
export function viewsOf(service: Pick<Service, 'db'>): Views {
  return {
    renderError: (ctx, out, error) => renderError(service, ctx, out, error),
    responseModes: responseModes(service),
    ...logoutPages(service),
  };
}

/** Routes whose answers people read; all other endpoints answer programs. */
const PAGES: ReadonlySet<string> = new Set([
  'authorization',
  'resume',
  'end_session',
  'end_session_confirm',
  'end_session_success',
]);

const TEXTS: Readonly<Record<string, Omit<PageMessage, 'status'>>> = {
  invalid_client: UNKNOWN_GAME,
  invalid_redirect_uri: {
    title: 'The game gave a wrong address',
    text: 'It asked us to send you to an address it hasn’t registered, so we stopped. Nothing was shared.',
  },
  session_not_found: {
    title: 'This page has expired',
    text: 'It was open for too long, or in another browser. Please start again from the game.',
  },
  server_error: {
    title: 'Something went wrong on our side',
    text: 'We’ve logged it. Go back to the game and try again in a moment.',
  },
};

const OTHER = {
  title: 'The game asked for something we cannot do',
  text: 'Nothing was shared with it. Go back to the game and try again. If this happens again, tell its developer.',
};

type Out = { readonly error: string; readonly error_description?: string | undefined };

/**
 * Shows an error that cannot be redirected, as the address is missing or wrong. If the app is known, its page that opened this
 * window gets the error too.
 */
async function renderError({ db }: Pick<Service, 'db'>, ctx: OAuthContext, out: Out, error: Error): Promise<void> {
  if (!PAGES.has(ctx.oidc.route)) {
    ctx.body = out;
    return;
  }
  const what = error.name === 'SessionNotFound' ? 'session_not_found' : out.error;
  const { title, text } = TEXTS[what] ?? OTHER;
  const details = html`<p class="hint">For the game’s developer: <code>${out.error}</code>${
    out.error_description && html`, ${out.error_description}`
  }.</p>`;
  const app = await appOf(db, ctx);
  const hears = app && deliveryAttributes({ ...wayOf(ctx), app, result: { error: errorText(out) } });
  await show(
    ctx,
    layout(
      { inline: isInline(paramsOf(ctx)) },
      title,
      html`<main${hears}><h1>${title}</h1><p>${text}</p>${details}</main>`,
      hears ? RESULT_SCRIPT.path : undefined,
    ),
  );
}

/** The app that asks for an authorization. At logout no game waits for a result. */
async function appOf(db: Service['db'], { oidc }: OAuthContext): Promise<App | null> {
  const asks = oidc.route === 'authorization' || oidc.route === 'resume';
  return asks && oidc.client ? findApp(db, oidc.client.clientId as AppId) : null;
}

async function show(ctx: OAuthContext, page: Markup): Promise<void> {
  ctx.set(pageHeaders({ frameAncestors: [], script: true, opener: true }));
  ctx.type = 'html';
  ctx.body = String(await page);
}
