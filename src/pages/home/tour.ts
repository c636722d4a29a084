import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import { basesOf } from '../../config/bases.ts';
import { TEST_QUARTERS } from '../../features/apps/test-quarters.ts';
import { consolePath, DEVELOPERS_CONSOLE } from '../../service/console-path.ts';
import type { Service } from '../../service/service.ts';
import { CONSOLE_STYLE, COPY_SCRIPT } from '../../web/assets.ts';
import { copyBlock } from '../../web/copyable.ts';
import { documentsLink } from '../../web/documents-link.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { sendPage } from '../../web/send-page.ts';
import { firstPayment, type ShellStep } from '../consoles/first-payment.ts';

/** GET /tour: a payment from start to end with curl, for developers, with the addresses of this installation. */
export function tourRoute(pages: FastifyInstance, service: Service): void {
  const page = tourPage(service);
  pages.get('/tour', (_request, reply) => sendPage(reply, page, { script: true }));
}

function tourPage({ settings, publicUrl, development, house }: Service): Page {
  const tutorial = documentsLink(house, '/guides/tutorial', 'The tutorial');
  const calls = documentsLink(house, '', 'All calls');
  const console = consolePath(house, DEVELOPERS_CONSOLE);
  return layout(
    { inline: false, wide: true, sheet: { name: 'console', path: CONSOLE_STYLE.path } },
    'A payment from start to end',
    html`<main class="console">
<div>
<h1>A payment from start to end</h1>
<p>You need an app, its server API key, and some quarters in its account. ${console ? html`<a href="${console}">Register an app</a>` : 'Register an app'} to get the first two,
with the site of your game if it opens our pages in a frame. ${
      development ? html`It gets ${en.quarters(TEST_QUARTERS)} to test with.` : 'The operator issues quarters.'
    }${tutorial && html` ${tutorial} builds a game around such a payment.`}</p>
</div>
${shellStep({
  title: 'Name your app',
  about: html`Open a terminal with bash or zsh, and fill in what the console shows. Then run the steps below in it, as they stand.`,
  command: 'export QUARTERS_SERVER_KEY=qk_… APP=… APP_ACCOUNT=0x…',
  label: 'command that names your app',
})}
${firstPayment(basesOf(settings, publicUrl), '$APP', '$APP_ACCOUNT').map(shellStep)}
<p class="hint">In a game, <a href="/quarters.js">/quarters.js</a> opens the page in a frame or a window. A frame opens on registered sites only: elsewhere the player reads “We can’t show this page here”, and the browser’s console names frame-ancestors.${calls && html` ${calls}`}</p>
</main>`,
    COPY_SCRIPT.path,
  );
}

function shellStep({ title, about, command, label }: ShellStep): Markup {
  return html`<section class="card">
<h2>${title}</h2>
<p>${about}</p>
${copyBlock(en, command, label)}
</section>`;
}
