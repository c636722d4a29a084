import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { type Bases, basesOf } from '../../config/bases.ts';
import { TEST_QUARTERS } from '../../features/apps/test-quarters.ts';
import type { Service } from '../../settlement/service.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { sendPage } from '../../web/send-page.ts';
import { words } from '../../words/words.ts';

/** GET /tour: a payment from start to end with curl, for developers, with the addresses of this installation. */
export function tourRoute(pages: FastifyInstance, service: Service): void {
  const page = tourPage(basesOf(service.settings, service.publicUrl), service.development);
  pages.get('/tour', (_request, reply) => sendPage(reply, page));
}

function tourPage({ api, devApi, approval }: Bases, development: boolean): Page {
  const json = `-H 'Content-Type: application/json'`;
  return layout(
    { inline: false, wide: true },
    'A payment from start to end',
    html`<main class="console">
<div>
<h1>A payment from start to end</h1>
<p>You need an app, its server API key, and some quarters in its account. <a href="/developer">Register an app</a> to get the first two,
with the site of your game if it opens our pages in a frame. ${
      development ? html`It gets ${words.quarters(TEST_QUARTERS)} to test with.` : 'The operator issues quarters.'
    } <a href="/docs/guides/tutorial">The tutorial</a> builds a game around such a payment.</p>
</div>
${step('Name your app', html`The words in capitals are yours to fill in.`, `KEY=SERVER_KEY APP=APP_ID ACCOUNT=APP_ACCOUNT`)}
${step(
  'Create a guest',
  html`The answer has the guest’s id, an access token for the API, and a token for the approval page.`,
  `curl -X POST ${devApi}/v1/new-guest -H "Authorization: Bearer $KEY"`,
)}
${step(
  'Pay the guest',
  html`The answer is final. The balance follows with the next block.`,
  `curl -X POST ${api}/v1/accounts/$ACCOUNT/transfer -H "Authorization: Bearer $KEY" ${json} -d '{"amount": 500, "user": "USER_ID"}'`,
)}
${step(
  'Ask for quarters',
  html`This is the game’s call, with the guest’s access token. The answer has the id of the request.`,
  `curl -X POST ${api}/v1/requests -H 'Authorization: Bearer ACCESS_TOKEN' ${json} -d "{\\"tokens\\": 120, \\"description\\": \\"A sword of light\\", \\"appId\\": \\"$APP\\"}"`,
)}
${step(
  'Approve',
  html`Open this address in a browser. In a game, <a href="/quarters.js">/quarters.js</a> opens it in a frame or a window. A frame opens on registered sites only: elsewhere the player reads “We can’t show this page here”, and the browser’s console names frame-ancestors.`,
  `${approval}/requests/REQUEST_ID?inline=true&firebase_token=FIREBASE_TOKEN`,
)}
${step(
  'Read the outcome',
  html`Give nothing before your server has read this. A browser can be made to say anything. <a href="/docs">All calls</a>`,
  `curl ${api}/v1/requests/REQUEST_ID -H "Authorization: Bearer $KEY"`,
)}
</main>`,
  );
}

function step(title: string, about: Markup, command: string): Markup {
  return html`<section class="card">
<h2>${title}</h2>
<p>${about}</p>
<p><code class="secret">${command}</code></p>
</section>`;
}
