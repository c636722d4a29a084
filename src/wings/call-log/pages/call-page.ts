import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { PROBLEMS, type ProblemCode } from '../../../base/problems.ts';
import type { App } from '../../../identity/apps.ts';
import { appConsolePage, pathOfApp } from '../../../pages/consoles/app-frame.ts';
import type { House } from '../../../service/house.ts';
import { copyable } from '../../../web/copyable.ts';
import { documentsLink } from '../../../web/documents-link.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import type { ShownCall } from '../views/read-calls.ts';
import { logAddress } from './call-filters.ts';
import { callMoment, formatMs, pathOf, statusBadge } from './log-page.ts';

/** One call, with links to what it concerns. */
export function callPage(house: House, app: App, call: ShownCall): Page {
  const { method, route, milliseconds, code, fields, idempotency, paymentId } = call;
  const content = html`<p><a href="${logAddress(app.id)}">All calls</a></p>
<section class="card">
<dl class="facts">
${line('Time', `${callMoment(call)} UTC`)}
${line('Result', html`${statusBadge(call)}${call.status === null && ' The caller disconnected first.'}`)}
${line('Duration', `${formatMs(milliseconds)} ms`)}
${code !== null && line('Error', errorOf(house, app, code))}
${fields !== null && line('Fields', html`<code>${fields}</code><p class="hint">What was wrong with them is in the response. We don’t keep values.</p>`)}
${line('Caller', callerOf(app, call))}
${paymentId !== null && line('Payment', html`${copyable(en, paymentId, 'payment id')}<a href="${pathOfApp(app.id)}/payments/${paymentId}">Open payment</a>`)}
${
  idempotency !== null &&
  line(
    'Idempotency-Key',
    html`<code>${idempotency}</code> <a href="${logAddress(app.id, { key: idempotency })}">Calls with this Idempotency-Key</a><p class="hint">The first 8 hex digits of its SHA-256.</p>`,
  )
}
${line('Request id', html`${copyable(en, call.id, 'request id')}<p class="hint">The header <code>Request-Id</code> of the response.</p>`)}
</dl>
</section>`;
  return appConsolePage(app, 'log', { title: `${method} ${pathOf(route)}`, content });
}

function line(name: string, value: Markup | string): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** OAuth has codes of its own, which its endpoints explain in their answers. */
function errorOf(house: House, app: App, code: string): Markup {
  const known = Object.hasOwn(PROBLEMS, code) && PROBLEMS[code as ProblemCode].title;
  return html`<code>${code}</code>${known && html`<p>${known}. ${documentsLink(house, `/reference/problems#${code}`, 'About this error')}</p>`}
<p><a href="${logAddress(app.id, { code })}">Calls with this error</a></p>`;
}

function callerOf(app: App, { key, keyId, userId }: ShownCall): Markup | string {
  if (keyId !== null) {
    const name = key ? html`Server key ${key.name && html`<bdi>${key.name}</bdi> `}…${key.ending}` : 'A server key';
    const ended = key?.revokedAt ? ', revoked since' : '';
    return html`<a href="${pathOfApp(app.id)}/keys">${name}</a>${ended} <a href="${logAddress(app.id, { server: keyId })}">Calls with this key</a>`;
  }
  if (userId === null) return 'The app, with its client secret';
  return html`${copyable(en, userId, 'user id')}<a href="${logAddress(app.id, { user: userId })}">Calls of this user</a>`;
}
