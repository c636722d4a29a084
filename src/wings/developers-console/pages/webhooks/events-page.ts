import { html } from 'hono/html';
import { appConsolePage } from '../../../../pages/consoles/app-frame.ts';
import { badge, panel } from '../../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../../pages/consoles/console-table.ts';
import { pager } from '../../../../pages/consoles/pager.ts';
import type { EventsShown } from '../../../../views/webhooks/show-webhooks.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import type { EventType } from '../../../../webhooks/event-types.ts';
import type { StoredEvent } from '../../../../webhooks/events.ts';
import { pathOfEvent, pathOfEvents, pathOfWebhooks, typeSelect } from './webhook-parts.ts';

/** A search as it was typed. `from` and `to` are days (UTC), and `to` is included. */
export type TypedSearch = {
  readonly type: EventType | null;
  readonly request: string;
  readonly from: string;
  readonly to: string;
};

type View = EventsShown & { readonly typed: TypedSearch; readonly isLater: boolean };

/** An app's events. */
export function eventsPage(view: View): Page {
  const { app, events, next, typed, isLater } = view;
  const isSearch = Object.values(typed).some((value) => value) || isLater;
  const nothing = next ? 'None of these events fits.' : isSearch ? 'No such events.' : 'No events yet.';
  const content = html`<p class="lead"><a href="${pathOfWebhooks(app.id)}">Endpoints</a></p>
${panel(
  'Last 30 days',
  html`${filters(view)}
${events.length === 0 ? html`<p class="hint">${nothing}</p>` : eventTable(view)}
${pager(false, next && olderPath(view), 'Older events')}`,
)}`;
  return appConsolePage(app, 'webhooks', { title: 'Events', content });
}

function filters({ app, typed }: View): Markup {
  const day = (name: 'from' | 'to', label: string) => html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="date" value="${typed[name]}"></div>`;
  return html`<form class="filters" method="get" action="${pathOfEvents(app.id)}">
${typeSelect(typed.type, 'All')}
<div class="field"><label for="request">Request id</label>
<input id="request" name="request" value="${typed.request}" maxlength="36" autocomplete="off" spellcheck="false"></div>
${day('from', 'From (UTC)')}
${day('to', 'To (UTC)')}
<button class="secondary">Search</button>
</form>`;
}

function olderPath({ app, typed: { type, from, to }, next }: View): string {
  const query = new URLSearchParams({ ...(type && { type }), ...(from && { from }), ...(to && { to }), before: next! });
  return `${pathOfEvents(app.id)}?${query}`;
}

function eventTable({ app, events }: View): Markup {
  const columns: ShownColumn<StoredEvent>[] = [
    { label: 'Event', value: ({ id, type }) => html`<a href="${pathOfEvent(app.id, id)}">${type}</a>` },
    { label: 'Time', value: ({ createdAt }) => createdAt },
    { label: 'About', value: ({ requestId, data }) => (requestId ? html`<code>${requestId}</code>` : aboutText(data)) },
  ];
  return dataTable('Events, newest first', columns, events);
}

function aboutText(data: object | null): Markup {
  const { test, id, userId } = (data ?? {}) as { test?: true; id?: string; userId?: string };
  if (test) return badge('Test event');
  return html`<code>${id ?? userId}</code>`;
}
