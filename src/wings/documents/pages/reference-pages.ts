import { html } from 'hono/html';
import type { Json } from '../../../base/json.ts';
import { PROBLEMS, type ProblemCode, retryAfterSeconds } from '../../../base/problems.ts';
import type { Bases } from '../../../config/bases.ts';
import type { Markup } from '../../../web/layout.ts';
import { callRoute, callSection } from './call-section.ts';
import type { Shelf } from './docs-frame.ts';
import { groupPath, PROBLEMS_PATH } from './docs-paths.ts';
import type { DocumentedGroup } from './documented-calls.ts';
import { fieldList, fieldsOf } from './fields.ts';
import { anchorLink } from './markdown.ts';
import { prose } from './prose.ts';
import { referenceOf, resolve, type Schema } from './read-document.ts';

/** What holds for every call: addresses, credentials, headers. */
export function referenceContent(document: Json, { groups, console }: Shelf, bases: Bases): Markup {
  const { info, components } = referenceOf(document);
  return html`<h1>API reference</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<h2 id="addresses">Addresses${anchorLink('addresses', 'Addresses')}</h2>
<dl class="fields">
<div><dt><code>${bases.api}</code></dt><dd><p>The API.</p></dd></div>
${bases.devApi !== bases.api && html`<div><dt><code>${bases.devApi}</code></dt><dd><p>Where guests are created.</p></dd></div>`}
<div><dt><a href="/openapi.json">/openapi.json</a></dt><dd><p>The same description for tools, as OpenAPI 3.1.</p></dd></div>
</dl>
<h2 id="credentials">Credentials${anchorLink('credentials', 'Credentials')}</h2>
<p>Send one as <code>Authorization: Bearer …</code>.${console && html` You find <a href="${console}/keys">your keys</a> in the console.`}</p>
<ul>${Object.values(components.securitySchemes).map(({ description }) => html`<li>${prose(description)}</li>`)}</ul>
<h2 id="headers">Headers of every response${anchorLink('headers', 'Headers of every response')}</h2>
<dl class="fields">${Object.entries(components.headers).map(([name, { description }]) => html`<div><dt><code>${name}</code></dt><dd><p>${prose(description)}</p></dd></div>`)}</dl>
<h2 id="groups">Calls${anchorLink('groups', 'Calls')}</h2>
<ul class="tiles">${groups.map((group) => html`<li><a href="${groupPath(group)}"><strong>${group.name}</strong><span>${group.description}</span></a></li>`)}
<li><a href="${PROBLEMS_PATH}"><strong>Problems</strong><span>Every refusal, its code, and what it means for a retry.</span></a></li></ul>`;
}

/** A group: one page with all of its calls. `events`: the types that apps receive, listed with the calls about events. */
export function groupContent(
  { name, description, calls }: DocumentedGroup,
  api: string,
  console: string | null,
  events: readonly string[],
): Markup {
  return html`<h1>${name}</h1>
<p class="intro">${description}</p>
<ul class="index">${calls.map(({ call: { operationId, summary, method, path } }) => html`<li><a href="#${operationId}">${summary}</a>${callRoute(method, path)}</li>`)}</ul>
${calls.map((call) => callSection(call, api, console))}
${events.length > 0 && eventTypes(events, console)}`;
}

function eventTypes(types: readonly string[], console: string | null): Markup {
  return html`<section id="types">
<h2>Event types${anchorLink('types', 'Event types')}</h2>
<p>An endpoint receives all types, or those you choose for it${console && html` in the <a href="${console}/webhooks">console</a>`}. The guide <a href="/docs/guides/webhooks#events">Webhooks</a> says what each one means.</p>
<ul class="index">${types.map((type) => html`<li id="${type}"><code>${type}</code></li>`)}</ul>
</section>`;
}

/** The types of events that the description names. */
export function eventTypesOf(document: Json): readonly string[] {
  return referenceOf(document).components.schemas.AppEvent?.properties?.type?.enum ?? [];
}

/** Every problem code. Their anchors are the codes. */
export function problemsContent(document: Json, groups: readonly DocumentedGroup[]): Markup {
  const problem = resolve<Schema>(document, { $ref: '#/components/schemas/Problem' });
  return html`<h1>Problems</h1>
<p class="intro">Every refusal is a problem (RFC 9457), sent as <code>application/problem+json</code>. Decide on its <code>code</code>.</p>
<p>A 4xx has done nothing. After a 5xx the call may have taken effect, unless it says here that nothing was decided. Repeat it with the same
<code>Idempotency-Key</code>. The guide <a href="/docs/guides/errors">Errors</a> says more.</p>
<h2 id="fields">Fields${anchorLink('fields', 'Fields')}</h2>
${fieldList(fieldsOf(document, problem, 'problem', false))}
<h2 id="codes">Codes${anchorLink('codes', 'Codes')}</h2>
<dl class="fields problems">${(Object.keys(PROBLEMS) as ProblemCode[]).map((code) => problemEntry(code, groups))}</dl>`;
}

function problemEntry(code: ProblemCode, groups: readonly DocumentedGroup[]): Markup {
  const { status, title, ...more } = PROBLEMS[code];
  const all = groups
    .flatMap((group) => group.calls.map((each) => ({ group, ...each.call })))
    .filter(({ method }) => method !== '');
  const calls = all.filter(({ problems }) => problems.some(({ codes }) => codes.includes(code)));
  return html`<div id="${code}"><dt><code>${code}</code> <span class="status">${status}</span></dt>
<dd><p>${title}.${'nothingDecided' in more && ' Nothing was decided.'}${retryAfterSeconds(code) !== undefined && html` Try again after <code>Retry-After</code>.`}</p>
${calls.length === all.length && html`<p class="lead">Every call can return this.</p>`}
${
  calls.length > 0 &&
  calls.length < all.length &&
  html`<details><summary>${calls.length === 1 ? '1 call' : `${calls.length} calls`}</summary><ul>${calls.map(({ group, operationId, summary }) => html`<li><a href="${groupPath(group)}#${operationId}">${summary}</a></li>`)}</ul></details>`
}</dd></div>`;
}
