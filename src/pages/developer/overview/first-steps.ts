import { html } from 'hono/html';
import type { Bases } from '../../../config/bases.ts';
import type { App } from '../../../identity/apps.ts';
import { copyBlock } from '../../../web/copyable.ts';
import type { Markup } from '../../../web/layout.ts';
import { pathOfApp } from '../console.ts';

const KEY = `-H "Authorization: Bearer $QUARTERS_SERVER_KEY"`;

/** What leads an app to its first payment, in place of empty charts. */
export function firstSteps(app: App, bases: Bases): Markup {
  const request = `curl ${bases.api}/v1/requests \\
  -H "Authorization: Bearer $GUEST_ACCESS_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"tokens": 5, "appId": "${app.id}", "description": "A shield"}'`;
  return html`<section class="card">
<h2>Your first payment</h2>
<p>Nobody has paid your app yet. Three calls show the whole way. They use your <a href="${pathOfApp(app.id)}/keys">server API key</a>.</p>
<ol class="way">
<li><h3>Create a guest</h3>
<p>A guest plays at once, without signing up. The answer holds an access token.</p>
${copyBlock(`curl -X POST ${bases.devApi}/v1/new-guest \\\n  ${KEY}`, 'call that creates a guest')}</li>
<li><h3>Ask for a payment</h3>
<p>The player approves it on the page <code>${bases.approval}/requests/{id}</code>, which your game opens.</p>
${copyBlock(request, 'call that asks for a payment')}</li>
<li><h3>Listen to events</h3>
<p>Set up a <a href="${pathOfApp(app.id)}/webhooks">webhook</a>, or read the events:</p>
${copyBlock(`curl ${bases.api}/v1/events \\\n  ${KEY}`, 'call that reads events')}</li>
</ol>
<p class="hint">Every call is in the <a href="/docs">API reference</a>.</p>
</section>`;
}
