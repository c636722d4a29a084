import { html } from 'hono/html';
import { layout, type Markup } from '../../web/layout.ts';
import type { Json } from '../openapi/json.ts';
import { callSection } from './call-section.ts';
import { callsOf, type Reference } from './read-document.ts';

/** The API's description for people: one page, in the order of the document. */
export function referencePage(document: Json): Markup {
  const { info, servers, tags, components } = document as unknown as Reference;
  const calls = callsOf(document);
  const base = servers[0].url;
  const rooms = tags.map((tag) => ({ ...tag, calls: calls.filter((call) => call.tags.includes(tag.name)) }));
  return layout(
    { inline: false },
    'API reference',
    html`<main class="reference">
<h1>API reference</h1>
${info.description.split('\n\n').map((paragraph) => html`<p>${paragraph.replaceAll('`', '')}</p>`)}
<p>Base address: <code>${base}</code>. For tools: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
<h2>Calls</h2>
${rooms.map(
  ({ name, calls }) =>
    html`<h3>${name}</h3><ul class="links">${calls.map(
      ({ operationId, summary, method, path }) =>
        html`<li><a href="#${operationId}">${summary}</a> <span class="lead">${method} ${path}</span></li>`,
    )}</ul>`,
)}
<h2>Credentials</h2>
${Object.values(components.securitySchemes).map(({ description }) => html`<p>${description}</p>`)}
${rooms.map(
  ({ name, description, calls }) => html`<h2>${name}</h2><p class="lead">${description}</p>
${calls.map((call) => callSection(document, call, base))}`,
)}
<h2>Problems</h2>
<p>Every refusal is a problem (RFC 9457, <code>application/problem+json</code>): <code>type</code>, <code>title</code>, <code>status</code>,
<code>detail</code>, <code>code</code>, <code>message</code> (the same as detail), and for invalid input <code>errors</code>.</p>
<dl>${Object.entries(components.examples).map(([code, { summary, value }]) => html`<div id="${code}"><dt><code>${code}</code> <span>${value.status}</span></dt><dd>${summary}</dd></div>`)}</dl>
</main>`,
  );
}
