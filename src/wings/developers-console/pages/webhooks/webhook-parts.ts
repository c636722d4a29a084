import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import type { AppId, EventId } from '../../../../base/ids.ts';
import { pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm } from '../../../../pages/consoles/console.ts';
import type { ShownEndpoint } from '../../../../views/webhooks/show-webhooks.ts';
import { copyBlock } from '../../../../web/copyable.ts';
import { choice, field, hidden } from '../../../../web/fields.ts';
import type { Markup } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { EVENT_TYPES, type EventType, isEventType } from '../../../../webhooks/event-types.ts';
import type { Endpoint } from '../../../../webhooks/webhook-endpoints.ts';

// What the pages of webhooks and events share.

export const pathOfWebhooks = (appId: string) => `${pathOfApp(appId)}/webhooks`;
export const pathOfEndpoint = (appId: string, id: string) => `${pathOfWebhooks(appId)}/${encodeURIComponent(id)}`;
export const pathOfEvents = (appId: string) => `${pathOfApp(appId)}/events`;
export const pathOfEvent = (appId: string, id: string) => `${pathOfEvents(appId)}/${encodeURIComponent(id)}`;

/** The fields of an endpoint. */
export function endpointFields(url: string, types: readonly EventType[] | null, error?: string): Markup {
  return html`${field({ name: 'url', label: 'URL', type: 'url', value: url, maxlength: 2000, hint: 'A public https:// address.', error })}
<details>
<summary>${typesText(types)}</summary>
<fieldset>
<legend>Send only these; leave empty for all, including future ones</legend>
${EVENT_TYPES.map(
  (type) =>
    html`<label class="choice"><input type="checkbox" name="${type}" value="on"${types?.includes(type) && html` checked`}>${type}</label>`,
)}
</fieldset>
</details>`;
}

/** What the form with {@link endpointFields} sends. No ticked type means all types. */
export function givenEndpoint(body: unknown): { url: string; types: EventType[] | null } {
  const types = EVENT_TYPES.filter((type) => parameter(body, type) === 'on');
  return { url: parameter(body, 'url')?.trim() ?? '', types: types.length === 0 ? null : types };
}

export function typesText(types: readonly EventType[] | null): string {
  if (types === null) return 'All types';
  return types.length === 1 ? types[0]! : `${types.length} event types`;
}

/** The event type that a form or filter names; null if it names none. */
export function typeIn(parameters: unknown): EventType | null {
  const text = parameter(parameters, 'type');
  return text !== undefined && isEventType(text) ? text : null;
}

/** A choice of event types. `any`: the entry that stands for all. `id` is the element's. */
export function typeSelect(chosen: EventType | null, any?: string, id = 'type'): Markup {
  const types = EVENT_TYPES.map((type) => [type, type] as const);
  const options = any === undefined ? types : [['', any] as const, ...types];
  return choice({ name: 'type', id, label: 'Event type', value: chosen ?? '', options });
}

/** The form that sends a test event, to one endpoint or to all that take its type. */
export function testEventForm(visitor: Pick<Visitor, 'csrf'>, appId: AppId, page: string, endpoint?: Endpoint): Markup {
  return consoleForm(
    visitor,
    pathOfEvents(appId),
    page,
    html`${hidden('endpoint', endpoint?.id)}${typeSelect('request.completed')}
<p class="hint">It is about a payment that does not exist, and says <code>"test": true</code>. ${
      endpoint ? 'It is sent to this endpoint only.' : 'Every endpoint that takes the type gets it.'
    }</p>
<button class="secondary">Send test event</button>`,
  );
}

/** The commands that bring an app's events to a developer's machine. */
export function listenCommands(appId: AppId, since?: EventId): Markup {
  const listen = `npx quarters listen --app ${appId} --forward localhost:3000/hook`;
  if (since) return copyBlock(en, `${listen} --since ${since}`, 'command');
  return copyBlock(en, `${listen}\nnpx quarters trigger request.completed --app ${appId}`, 'commands');
}

/** How many of the last day's deliveries wait or were given up, each leading to them. Empty if none does. */
export function openDeliveries(appId: AppId, { id, recent }: Pick<ShownEndpoint, 'id' | 'recent'>): Markup | '' {
  const path = pathOfEndpoint(appId, id);
  const link = (state: 'pending' | 'failed') =>
    recent[state] > 0 && html`, <a href="${path}?state=${state}">${recent[state]} ${state}</a>`;
  return html`${link('pending')}${link('failed')}`;
}
