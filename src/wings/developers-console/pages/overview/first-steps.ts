import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { basesOf } from '../../../../config/bases.ts';
import type { App } from '../../../../identity/apps.ts';
import { pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { firstPayment, type ShellStep } from '../../../../pages/consoles/first-payment.ts';
import type { Service } from '../../../../service/service.ts';
import { copyBlock } from '../../../../web/copyable.ts';
import { documentsLink } from '../../../../web/documents-link.ts';
import type { Markup } from '../../../../web/layout.ts';

/** What leads an app to its first payment, in place of empty charts. */
export function firstSteps({ settings, publicUrl, house }: Service, app: App, account: string): Markup {
  const reference = documentsLink(house, '', 'API reference');
  const step = ({ title, about, command, label }: ShellStep) => html`<li><h3>${title}</h3>
<p>${about}</p>
${copyBlock(en, command, label)}</li>`;
  return html`<section class="card">
<h2>Your first payment</h2>
<p>Nobody has paid your app yet. These calls show the whole way. Run them in one terminal, with bash or zsh. First, put your <a href="${pathOfApp(app.id)}/keys">server API key</a> in it:</p>
${copyBlock(en, 'export QUARTERS_SERVER_KEY=qk_…', 'command that sets the server API key')}
<ol class="way">
${firstPayment(basesOf(settings, publicUrl), app.id, account).map(step)}
</ol>
<p class="hint">Your server can also be told, by a <a href="${pathOfApp(app.id)}/webhooks">webhook</a>.${reference && html` Every call is in the ${reference}.`}</p>
</section>`;
}
