import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { type CallId, callIdFrom } from '../../../base/ids.ts';
import { lazily } from '../../../base/lazily.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../../../base/problems.ts';
import { basesOf } from '../../../config/bases.ts';
import { hashesOfId } from '../../../http/named-ids.ts';
import type { App } from '../../../identity/apps.ts';
import { appConsolePage, appIdOf, pathOfApp } from '../../../pages/consoles/app-frame.ts';
import { badge, sendConsolePage } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { KEY_HEADER } from '../../../pages/consoles/first-payment.ts';
import { pager } from '../../../pages/consoles/pager.ts';
import type { House } from '../../../service/house.ts';
import { asDeveloper } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { copyable, copyBlock } from '../../../web/copyable.ts';
import { documentsLink } from '../../../web/documents-link.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { SignedInRoutes } from '../../../web/visitor.ts';
import { CALL_DAYS, callTime } from '../store/calls.ts';
import { type CallPage, listCalls, MOST_SEARCHED, type ShownCall, showCall } from '../views/read-calls.ts';
import { type Asked, filterForm, logAddress, readAsked, searchOf, withoutKey } from './call-filters.ts';

const LOG = '/developer/apps/:id/log';
const PER_PAGE = 50;

/**
 * GET /developer/apps/{id}/log lists an app's calls of the API, newest first, and …/log/{call} shows one. `before`: the end of the
 * previous page.
 */
export function logRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(LOG, async (request, reply, { session }) => {
    const asked = readAsked(request.query);
    const before = cursorOf(request);
    const shortened = withoutKey(asked);
    if (shortened) return reply.redirect(logAddress(appIdOf(request), shortened), 303);
    const search = searchOf(asked, (id) => hashesOfId(service, id));
    const page = await listCalls(service, asDeveloper(session), appIdOf(request), search, PER_PAGE, before);
    return sendConsolePage(reply, logPage(service, { ...page, asked, isLater: before !== undefined }));
  });
  visitors.get(`${LOG}/:call`, async (request, reply, { session }) => {
    const { call: id } = request.params as { call: string };
    const { app, call } = await showCall(service, asDeveloper(session), appIdOf(request), id);
    return sendConsolePage(reply, callPage(service.house, app, call));
  });
}

function cursorOf({ query }: FastifyRequest): CallId | undefined {
  const before = parameter(query, 'before');
  if (before === undefined) return undefined;
  const id = callIdFrom(before);
  if (!id) throw new Problem('invalid-input', 'The cursor is not valid.');
  return id;
}

type View = CallPage & {
  readonly asked: Asked;
  /** Whether newer calls are on another page. */
  readonly isLater: boolean;
};

const DAY = lazily(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }));

/** An app's calls of the API, newest first. */
function logPage(service: Service, view: View): Page {
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
  const reference = documentsLink(house, '', 'API reference');
  const { api } = basesOf(settings, publicUrl);
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
function callMoment(call: Pick<ShownCall, 'id'>): string {
  return callTime(call).toISOString().replace('T', ' ').replace('Z', '');
}

/** As the docs write it. */
function pathOf(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}');
}

function statusBadge({ status }: Pick<ShownCall, 'status'>): Markup {
  if (status === null) return badge('No response', 'wait');
  return badge(`${status}`, status < 400 ? 'good' : 'bad');
}

function formatMs(milliseconds: number): string {
  return milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds).toLocaleString('en');
}

function callerOf({ key, keyId, userId }: ShownCall): Markup | string {
  if (key) return html`${key.name ? html`<bdi>${key.name}</bdi>` : 'Key'} …${key.ending}`;
  if (keyId !== null) return 'Server key';
  return userId === null ? 'OAuth client' : `User ${userId.slice(0, 6)}…`;
}

/** One call, with links to what it concerns. */
function callPage(house: House, app: App, call: ShownCall): Page {
  const { method, route, milliseconds, code, fields, idempotency, paymentId, about } = call;
  const content = html`<p><a href="${logAddress(app.id)}">All calls</a></p>
<section class="card">
<dl class="facts">
${line('Time', `${callMoment(call)} UTC`)}
${line('Result', html`${statusBadge(call)}${call.status === null && ' The caller disconnected first.'}`)}
${line('Duration', `${formatMs(milliseconds)} ms`)}
${code !== null && line('Error', errorOf(house, app, code))}
${fields !== null && line('Fields', html`<code>${fields}</code><p class="hint">What was wrong with them is in the response. We don’t keep values.</p>`)}
${line('Caller', callerWithLinks(app, call))}
${about !== null && line('Ids in the call', idsOf(app, about))}
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

/** What a refused call named. */
function idsOf(app: App, about: string): Markup {
  const ids = about
    .split(' ')
    .map(
      (hash) =>
        html`<code>${hash}</code> <a href="${logAddress(app.id, { about: hash })}">Refused calls with this id</a><br>`,
    );
  return html`${ids}<p class="hint">Hashes, as an id in the wrong place may be a secret. To see which is yours, search the log for an id that you have.</p>`;
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

function callerWithLinks(app: App, { key, keyId, userId }: ShownCall): Markup | string {
  if (keyId !== null) {
    const name = key ? html`Server key ${key.name && html`<bdi>${key.name}</bdi> `}…${key.ending}` : 'A server key';
    const ended = key?.revokedAt ? ', revoked since' : '';
    return html`<a href="${pathOfApp(app.id)}/keys">${name}</a>${ended} <a href="${logAddress(app.id, { server: keyId })}">Calls with this key</a>`;
  }
  if (userId === null) return 'The app, with its client secret';
  return html`${copyable(en, userId, 'user id')}<a href="${logAddress(app.id, { user: userId })}">Calls of this user</a>`;
}
