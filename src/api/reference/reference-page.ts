import { html } from 'hono/html';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import type { Json } from '../describe/describe.ts';
import { type Call, callsOf, nameOf, type Reference, resolve, type Schema } from './read-document.ts';

/** The API's description for people: one page, in the order of the document. */
export function referencePage(document: Json): Page {
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

/** One call: its input, its response and its problems. */
function callSection(document: Json, call: Call, base: string): Markup {
  const { operationId, summary, method, path, description, inputs, requestBody, responses } = call;
  const [[status, answer] = [], ...refusals] = Object.entries(responses);
  const media = answer?.content['application/json'];
  // The headers of all responses are references, and described once.
  const headers = Object.entries(answer?.headers ?? {}).filter(([, header]) => !('$ref' in header));
  const codes = refusals.flatMap(([, { content }]) =>
    Object.keys((content['application/problem+json'] as { examples?: object } | undefined)?.examples ?? {}),
  );
  return html`<section id="${operationId}">
<h3>${summary}</h3>
<p class="call"><b>${method}</b> <code>${path}</code></p>
${description && html`<p>${description}</p>`}
<p class="lead">${credentials(call)}</p>
${inputs.length > 0 && html`<h4>Parameters</h4><dl>${inputs.map((p) => field(p.name, `${p.in}${p.required ? '' : ', optional'}`, p.description))}</dl>`}
${requestBody && html`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>${fields(document, requestBody.content['application/json'].schema)}`}
${code('Example call', curl(call, base))}
${
  answer &&
  media &&
  html`<h4>Response ${status}</h4><p>${answer.description}</p>
${fields(document, media.schema)}
${headers.length > 0 && html`<dl>${headers.map(([name, header]) => field(name, 'header', header.description))}</dl>`}
${code('Example response', JSON.stringify(media.example, null, 2))}`
}
<h4>Problems</h4><p class="codes">${codes.map((name) => html`<a href="#${name}"><code>${name}</code></a> `)}</p>
</section>`;
}

function credentials({ security }: Call): string {
  const ways = security.flatMap((scheme) =>
    Object.entries(scheme).map(([name, scopes]) => {
      const what = CREDENTIALS[name] ?? name;
      return scopes.length > 0 ? `${what} with the scope ${scopes.join(' ')}` : what;
    }),
  );
  return ways.length > 0 ? `Credential: ${ways.join(', or ')}.` : 'Needs no credential.';
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  accessToken: "a player's access token",
  guestToken: "a guest's access token",
  serverKey: 'a server API key',
};

/** The fields of an object, or of the objects in an array. */
function fields(document: Json, described: Schema): Markup | null {
  const schema = resolve<Schema>(document, described.items ?? described);
  const { properties, required = [] } = schema;
  if (!properties) return null;
  return html`<dl>${Object.entries(properties).map(([name, property]) =>
    field(
      name,
      `${typeOf(document, property)}${required.includes(name) ? '' : ', optional'}`,
      resolve<Schema>(document, property).description ?? '',
    ),
  )}</dl>`;
}

function typeOf(document: Json, schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map((part) => typeOf(document, part)).join(' or ');
  if (schema.enum) return schema.enum.join(' | ');
  if (schema.const) return `"${schema.const}"`;
  return nameOf(schema) ?? (schema.items ? `array of ${typeOf(document, schema.items)}` : (schema.type ?? 'anything'));
}

function field(name: string, kind: string, meaning: string): Markup {
  return html`<div><dt><code>${name}</code> <span>${kind}</span></dt><dd>${meaning}</dd></div>`;
}

/** Wide lines scroll inside the block; `tabindex` makes that work by keyboard. */
function code(what: string, text: string): Markup {
  return html`<h4>${what}</h4><pre tabindex="0"><code>${text}</code></pre>`;
}

const TOKENS: Readonly<Record<string, string>> = {
  accessToken: 'access token',
  guestToken: 'access token',
  serverKey: 'server API key',
};

/** The call as a curl command, with the example values of the description. */
function curl(call: Call, base: string): string {
  let url = (call.servers?.[0]?.url ?? base) + call.path;
  for (const { name, in: place, example } of call.inputs) {
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(example)));
  }
  const body = call.requestBody?.required && call.requestBody.content['application/json'].example;
  const [scheme] = Object.keys(call.security[0] ?? {});
  return [
    `curl${call.method === 'GET' ? '' : ` -X ${call.method}`} ${url}`,
    ...(scheme ? [`-H 'Authorization: Bearer <${TOKENS[scheme]}>'`] : []),
    ...call.inputs.filter((i) => i.name === 'Idempotency-Key').map(({ name, example }) => `-H '${name}: ${example}'`),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`] : []),
  ].join(' \\\n  ');
}
