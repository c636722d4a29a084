import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { lazily } from '../../../base/lazily.ts';
import { basesOf } from '../../../config/bases.ts';
import { appConsolePage, pathOfApp } from '../../../pages/consoles/app-frame.ts';
import { badge } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { KEY_HEADER } from '../../../pages/consoles/first-payment.ts';
import { pager } from '../../../pages/consoles/pager.ts';
import type { Service } from '../../../service/service.ts';
import { copyBlock } from '../../../web/copyable.ts';
import { documentsLink } from '../../../web/documents-link.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { CALL_DAYS, callTime } from '../store/calls.ts';
import { type CallPage, MOST_SEARCHED, type ShownCall } from '../views/read-calls.ts';
import { type Asked, filterForm, logAddress } from './call-filters.ts';

type View = CallPage & {
  readonly asked: Asked;
  /** Whether newer calls are on another page. */
  readonly isLater: boolean;
};

const DAY = lazily(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }));

/** An app's calls of the API, newest first. */
export function logPage(service: Service, view: View): Page {
  const { app, calls, asked } = view;
  const isOff = service.settings.apiLog === 'off';
  const isAll = Object.keys(asked).length === 0 && !view.isLater;
  const content =
    calls.length === 0 && isAll
      ? html`${isOff ? turnedOff() : firstCall(service, app.id)}`
      : html`${isOff && turnedOff()}
<section class="card" aria-label="Calls">
${filterForm(app.id, asked)}
${asked.key !== undefined && calls.length > 0 && effectOf(view)}
${calls.length === 0 ? nothingFound(view) : callTable(app.id, calls)}
${pager(view.isLater && logAddress(app.id, asked), view.next && logAddress(app.id, asked, view.next))}
</section>
<p class="hint">Calls of the last ${CALL_DAYS} days, with a valid credential of this app. Of many calls in one second, 50 are listed, refused ones first. ${documentsLink(service.house, '/guides/console#the-log-of-calls', 'About this log')}</p>`;
  return appConsolePage(app, 'log', { title: 'Log', content });
}

function turnedOff(): Markup {
  return html`<p class="notice" role="status">The operator has turned this log off. New calls are not recorded.</p>`;
}

function firstCall({ settings, publicUrl, house }: Service, appId: string): Markup {
  const { api } = basesOf(settings, publicUrl);
  const reference = documentsLink(house, '', 'API reference');
  const command = `curl ${api}/v1/requests \\\n  ${KEY_HEADER}`;
  return html`<section class="card">
<h2>No calls yet</h2>
<p>Your app’s calls of the API appear here a second after they are made. Make a first one with a <a href="${pathOfApp(appId)}/keys">server key</a>:</p>
${copyBlock(en, command, 'first call')}
${reference && html`<p>${reference}</p>`}
</section>`;
}

function nothingFound({ app, next }: View): Markup {
  const searched = MOST_SEARCHED.toLocaleString('en');
  return html`<p role="status">${next ? `No match in ${searched} calls. Older ones may match.` : 'No calls match.'}</p>
<p><a href="${logAddress(app.id)}">Show all calls</a></p>`;
}

/** What calls with one Idempotency-Key did, so that nobody needs to open each of them. */
function effectOf({ app, calls }: View): Markup {
  const ids = [...new Set(calls.flatMap(({ paymentId }) => paymentId ?? []))];
  const link = (id: string) => html` <a href="${pathOfApp(app.id)}/payments/${id}"><code>${id}</code></a>`;
  const about =
    ids.length === 0
      ? 'None is about a payment.'
      : ids.length === 1
        ? 'All that are about a payment are about this one:'
        : `They are about ${ids.length} payments:`;
  return html`<p>${calls.length === 1 ? '1 call' : `${calls.length} calls`} on this page with this Idempotency-Key. ${about}${ids.slice(0, 10).map(link)}</p>`;
}

function callTable(appId: string, calls: readonly ShownCall[]): Markup {
  const columns: ShownColumn<ShownCall>[] = [
    {
      label: 'Time (UTC)',
      value: (call) =>
        html`<a href="${logAddress(appId)}/${call.id}">${DAY().format(callTime(call))} ${callMoment(call).slice(11, 19)}</a>`,
    },
    { label: 'Call', look: 'call', value: ({ method, route }) => html`<code>${method} ${pathOf(route)}</code>` },
    { label: 'Result', look: 'result', value: resultOf },
    { label: 'ms', kind: 'number', value: ({ milliseconds }) => formatMs(milliseconds) },
    { label: 'Caller', look: 'caller', value: callerOf },
  ];
  return dataTable('Calls, newest first. The time opens a call.', columns, calls, { kind: 'calls' });
}

function resultOf({ status, code, fields }: ShownCall): Markup {
  return html`${statusBadge({ status })} ${code && html`<code>${code}</code>`}${fields && html`<code class="fields">${fields}</code>`}`;
}

/** When a call began, in UTC, to the millisecond. */
export function callMoment(call: Pick<ShownCall, 'id'>): string {
  return callTime(call).toISOString().replace('T', ' ').replace('Z', '');
}

/** As the docs write it. */
export function pathOf(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}');
}

export function statusBadge({ status }: Pick<ShownCall, 'status'>): Markup {
  if (status === null) return badge('No response', 'wait');
  return badge(`${status}`, status < 400 ? 'good' : 'bad');
}

export function formatMs(milliseconds: number): string {
  return milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toLocaleString('en');
}

function callerOf({ key, keyId, userId }: ShownCall): Markup | string {
  if (key) return html`${key.name ? html`<bdi>${key.name}</bdi>` : 'Key'} …${key.ending}`;
  if (keyId !== null) return 'Server key';
  return userId === null ? 'OAuth client' : `User ${userId.slice(0, 6)}…`;
}
