import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { asDeveloper } from '../../../features/apps/managers.ts';
import { type ShownApp, showApp } from '../../../features/apps/show-app.ts';
import type { Service } from '../../../settlement/service.ts';
import type { Page } from '../../../web/layout.ts';
import { signedIn } from '../../../web/visitor.ts';
import { words } from '../../../words/words.ts';
import { appConsolePage, appIdOf, sendConsolePage } from '../console.ts';
import { appIdentity } from '../keys/keys-page.ts';

/** GET /developer/apps/{id} shows how an app is doing. */
export function overviewRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/developer/apps/:id',
    signedIn(service, async (request, reply, { session }) =>
      sendConsolePage(reply, overviewPage(await showApp(service, asDeveloper(session), appIdOf(request)))),
    ),
  );
}

function overviewPage({ app, address, balance }: ShownApp): Page {
  const content = html`<dl class="figures">
<div class="figure"><dt>Balance</dt><dd>${words.quarters(balance)}</dd></div>
</dl>
${appIdentity(app, address)}
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>`;
  return appConsolePage(app, 'overview', { title: 'Overview', content });
}
