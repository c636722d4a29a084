import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { copyBlock } from '../../../web/copyable.ts';
import type { Markup } from '../../../web/layout.ts';
import { problemPath } from './docs-paths.ts';
import type { DocumentedCall } from './documented-calls.ts';
import { credentialsOf } from './examples/credentials.ts';
import { callExamples } from './examples/example-tabs.ts';
import { type CallField, fieldList } from './fields.ts';
import { anchorLink } from './markdown.ts';
import { prose } from './prose.ts';
import type { Call } from './read-document.ts';

/** One call: what it is for, its input, its response and its problems, and beside them examples. `api`: the API's address; `console`: the path of the developers' console. */
export function callSection(
  { call, inputs, body, response }: DocumentedCall,
  api: string,
  console: string | null,
): Markup {
  const { operationId, summary, method, path, description } = call;
  const isCall = method !== '';
  return html`<section class="call" id="${operationId}">
<div class="about">
<h2>${summary}${anchorLink(operationId, summary)}</h2>
${isCall && html`<p class="route">${methodBadge(method)} <code>${path}</code></p>`}
${description && html`<p>${prose(description)}</p>`}
${isCall && credentialLine(call, console)}
${fieldsPart('Parameters', inputs)}
${fieldsPart(`Body${call.body?.required === false ? ', optional' : ''}`, body)}
${call.response && html`<h3>Response <span class="status">${call.response.status}</span></h3><p>${prose(call.response.description)}</p>${response.length > 0 && fieldList(response)}`}
${call.problems.length > 0 && problemsPart(call)}
</div>
<div class="examples">
${callExamples(call, api)}
${isCall || copyBlock(en, JSON.stringify(call.body?.example, null, 2), `body: ${summary}`)}
${call.response && html`<h3>Response</h3>${copyBlock(en, JSON.stringify(call.response.example, null, 2), `response: ${summary}`)}`}
</div>
</section>`;
}

/** Where a call goes, for lists of calls. */
export function callRoute(method: string, path: string): Markup {
  return html` <span>${method === '' ? 'webhook' : html`${methodBadge(method)} <code>${path}</code>`}</span>`;
}

function methodBadge(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function fieldsPart(heading: string, fields: readonly CallField[]): Markup | '' {
  return fields.length === 0 ? '' : html`<h3>${heading}</h3>${fieldList(fields)}`;
}

function credentialLine(call: Call, console: string | null): Markup {
  const ways = credentialsOf(call);
  if (ways.length === 0) return html`<p class="lead">Needs no credential.</p>`;
  const list = ways.map(
    ({ name, scopes }, at) =>
      html`${at > 0 && ', or '}${name}${scopes.map((scope) => html` with the scope <code>${scope}</code>`)}`,
  );
  const hasKey = call.security.some((scheme) => 'serverKey' in scheme);
  return html`<p class="lead">Credential: ${list}.${hasKey && console && html` <a href="${console}/keys">Your keys</a>`}</p>`;
}

function problemsPart({ problems }: Call): Markup {
  return html`<h3>Problems</h3><ul class="codes">${problems.map(
    ({ status, codes }) =>
      html`<li><span class="status">${status}</span> ${codes.map((code) => html`<a href="${problemPath(code)}"><code>${code}</code></a> `)}</li>`,
  )}</ul>`;
}
