import { html } from 'hono/html';
import type { OwnWebhooks } from '../usecases/developer/show-webhooks.ts';
import { field, hidden } from '../web/fields.ts';
import { layout, type Markup } from '../web/layout.ts';
import type { Delivery } from '../webhooks/deliveries.ts';
import { type Endpoint, MAX_ENDPOINTS, ROTATION_HOURS } from '../webhooks/endpoints.ts';
import { EVENT_TYPES, type EventType } from '../webhooks/event-types.ts';

/** A form that was refused; `endpoint`: null where it was to add one. */
export type RefusedUrl = {
  readonly endpoint: string | null;
  readonly url: string;
  readonly types: readonly EventType[] | null;
  readonly error: string;
};

type View = OwnWebhooks & { readonly csrf: string; readonly notice?: string; readonly refused?: RefusedUrl };

type Shown = OwnWebhooks['endpoints'][number];

/** Where an app's events are sent, and what became of the last ones. */
export function webhooksPage(view: View): Markup {
  const { app, endpoints, notice } = view;
  return layout(
    { inline: false, nav: true },
    `Webhooks of ${app.name}`,
    html`<main>
<p><a href="/developer/apps/${app.id}">${app.name}</a></p>
<h1>Webhooks</h1>
${notice && html`<p class="notice" role="status">${notice}</p>`}
<p>Your server is told what happens to payments and guests: signed, at least once, for up to three days until it answers with 2xx. What it missed is in <code>GET /v1/events</code>.</p>
${endpoints.map((endpoint, i) => endpointSection(view, endpoint, i + 1))}
${endpoints.length < MAX_ENDPOINTS && addSection(view)}
</main>`,
  );
}

function carried({ app, csrf }: View, endpoint?: Endpoint): Markup {
  return html`${hidden('csrf', csrf)}${hidden('page', pathOf(app.id))}${hidden('endpoint', endpoint?.id)}`;
}

function pathOf(appId: string): string {
  return `/developer/apps/${appId}/webhooks`;
}

function addSection(view: View): Markup {
  const refused = view.refused?.endpoint === null ? view.refused : undefined;
  return html`<section>
<h2>Add an endpoint</h2>
<form method="post" action="${pathOf(view.app.id)}">
${carried(view)}
${endpointFields('', refused?.url ?? '', refused?.types ?? null, refused?.error)}
<button class="secondary">Add the endpoint</button>
</form>
</section>`;
}

/** `suffix`: ids are of one form each. */
function endpointFields(suffix: string, url: string, types: readonly EventType[] | null, error?: string): Markup {
  return html`${field({ name: `url${suffix}`, label: 'URL', type: 'url', value: url, maxlength: 2000, hint: 'An https:// address of the public internet.', error })}
<details>
<summary>${types === null ? 'All events' : `${types.length} ${types.length === 1 ? 'kind' : 'kinds'} of events`}</summary>
<fieldset>
<legend>Send only these; none ticked means all, later ones too</legend>
${EVENT_TYPES.map(
  (type) =>
    html`<label class="choice"><input type="checkbox" name="${type}" value="on"${types?.includes(type) && html` checked`}>${type}</label>`,
)}
</fieldset>
</details>`;
}

function endpointSection(view: View, endpoint: Shown, number: number): Markup {
  const base = pathOf(view.app.id);
  const refused = view.refused?.endpoint === endpoint.id ? view.refused : undefined;
  const form = (verb: string, label: string, of = '') => html`<form method="post" action="${base}/${verb}">
${carried(view, endpoint)}
<button class="small" aria-label="${label}${of} endpoint ${number}">${label}</button>
</form>`;
  const { disabledReason } = endpoint;
  return html`<section>
<h2>Endpoint ${number}</h2>
<p><code>${endpoint.url}</code></p>
<p>${stateOf(endpoint)}</p>
<div class="actions">${disabledReason ? form('enable', 'Enable') : form('disable', 'Disable')}${form('rotate', 'Replace the secret', ' of')}</div>
<p class="hint">A secret that is replaced signs as well for ${ROTATION_HOURS} more hours.</p>
<details${refused && html` open`}>
<summary>Change endpoint ${number}…</summary>
<form method="post" action="${base}/change">
${carried(view, endpoint)}
${endpointFields(`-${number}`, refused?.url ?? endpoint.url, refused ? refused.types : endpoint.types, refused?.error)}
${hidden('number', String(number))}
<button class="secondary">Save</button>
</form>
</details>
<details>
<summary>Remove endpoint ${number}…</summary>
<p class="hint">Nothing is sent there any more, at once.</p>
${form('remove', 'Remove')}
</details>
${deliveryList(view, endpoint)}
</section>`;
}

function stateOf({ disabledReason, failingSince }: Endpoint): Markup {
  if (disabledReason === 'owner') return html`<strong>Disabled</strong>: nothing is sent there.`;
  if (disabledReason === 'gone')
    return html`<strong>Disabled</strong>: it answered with 410, which says that it is gone.`;
  if (disabledReason === 'failing') return html`<strong>Disabled</strong>: for three days, nothing arrived there.`;
  if (failingSince)
    return html`<strong>Failing</strong> since ${moment(failingSince)}: what does not arrive is sent again.`;
  return html`<strong>Enabled</strong>.`;
}

function deliveryList(view: View, endpoint: Shown): Markup {
  if (endpoint.deliveries.length === 0) return html`<p class="hint">Nothing was sent there so far.</p>`;
  return html`<p class="lead">Last deliveries</p>
<ul class="rows">${endpoint.deliveries.map((delivery) => deliveryRow(view, endpoint, delivery))}</ul>`;
}

function deliveryRow(view: View, endpoint: Endpoint, delivery: Delivery): Markup {
  const { eventId, type, eventAt } = delivery;
  return html`<li class="key">
<div>
<p>${type} <time class="hint" datetime="${eventAt.toISOString()}">${moment(eventAt)}</time></p>
<p class="hint">${outcomeOf(delivery)}</p>
</div>
${
  endpoint.disabledReason === null &&
  html`<form method="post" action="${pathOf(view.app.id)}/redeliver">
${carried(view, endpoint)}${hidden('event', eventId)}
<button class="small" aria-label="Send again ${type} of ${moment(eventAt)}">Send again</button>
</form>`
}
</li>`;
}

const FAULTS = {
  status: 'was not 2xx',
  timeout: 'no answer in time',
  tls: 'no secure connection',
  unreachable: 'not reached',
} as const;

/** A status and a word: what else there is to see from inside our network is nobody's business. */
function outcomeOf({ attempts, deliveredAt, nextAttemptAt, lastStatus, lastError }: Delivery): string {
  if (deliveredAt) return `Arrived at attempt ${attempts}, answer ${lastStatus}.`;
  const last = lastError
    ? `attempt ${attempts}: ${lastStatus === null ? '' : `answer ${lastStatus} `}${FAULTS[lastError]}`
    : 'no answer yet';
  return nextAttemptAt ? `On its way; ${last}.` : `Given up; ${last}.`;
}

function moment(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A secret, shown this once. */
export function webhookSecretPage(appId: string, secret: string): Markup {
  return layout(
    { inline: false, nav: true },
    'Your webhook secret',
    html`<main>
<h1>Your webhook secret</h1>
<p class="notice" role="status">Copy what you see here now: it is shown this once.</p>
<p><code class="secret">${secret}</code></p>
<p>Your server checks with it that what it is sent comes from us, as the Standard Webhooks specification has it; there are libraries for most languages.</p>
<form method="get" action="${pathOf(appId)}"><button class="primary">I have stored it</button></form>
</main>`,
  );
}
