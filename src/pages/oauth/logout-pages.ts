import { html } from 'hono/html';
import type { AppId } from '../../base/ids.ts';
import { type App, findApp } from '../../identity/apps.ts';
import type { OAuthContext, Views } from '../../oauth/provider.ts';
import type { Service } from '../../settlement/service.ts';
import { branding } from '../../web/branding.ts';
import { pageHeaders } from '../../web/headers.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { messagePage } from '../../web/message-page.ts';
import { formTargets } from '../../web/result-address.ts';

/** The pages of OpenID Connect RP-Initiated Logout 1.0 (sections 2 and 3). */
export function logoutPages({ db }: Pick<Service, 'db'>): Pick<Views, 'logoutSource' | 'postLogoutSuccessSource'> {
  return {
    async logoutSource(ctx) {
      const { secret = '', clientId, postLogoutRedirectUri } = (ctx.oidc.session?.state ?? {}) as State;
      const app = clientId === undefined ? null : await findApp(db, clientId as AppId);
      // The form's answer redirects to the app. Browsers check such a redirect against form-action.
      const targets = app && postLogoutRedirectUri ? formTargets(postLogoutRedirectUri, app.redirectUris) : [];
      await show(ctx, askPage(app, secret), targets);
    },
    async postLogoutSuccessSource(ctx) {
      const text = 'You can close this page, or go back to the game.';
      await show(ctx, messagePage({ inline: false }, { status: 200, title: 'All done', text }), []);
    },
  };
}

/** What the provider has checked and stores until the form is sent. */
type State = {
  readonly secret?: string;
  readonly clientId?: string;
  readonly postLogoutRedirectUri?: string;
};

function askPage(app: App | null, secret: string): Markup {
  return layout(
    { inline: false },
    'Sign out',
    html`<main>
${app && branding(app)}
<h1>${app ? 'asks you to sign out of Quarters' : 'Sign out of Quarters?'}</h1>
<p>Games keep the access you gave them.</p>
<form method="post" action="/oauth/logout/confirm">
<input type="hidden" name="xsrf" value="${secret}">
<button class="primary" name="logout" value="yes">Sign out</button>
<button class="secondary">Stay signed in</button>
</form>
</main>`,
  );
}

async function show(ctx: OAuthContext, page: Markup, targets: readonly string[]): Promise<void> {
  ctx.set(pageHeaders({ frameAncestors: [], formTargets: targets, opener: true }));
  ctx.type = 'html';
  ctx.body = String(await page);
}
