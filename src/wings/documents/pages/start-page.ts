import { html } from 'hono/html';
import { PROBLEMS } from '../../../base/problems.ts';
import { type IconName, icon } from '../../../web/icons.ts';
import type { Markup } from '../../../web/layout.ts';
import { callRoute } from './call-section.ts';
import type { Shelf } from './docs-frame.ts';
import { groupPath, OPERATE, PROBLEMS_PATH, problemPath, REFERENCE } from './docs-paths.ts';
import type { Guide } from './guides.ts';
import { prose } from './prose.ts';

/** What to do first, and where everything is. */
export function startContent({ guides, groups, console }: Shelf): Markup {
  const [tutorial, overview, live] = ['tutorial', 'how-it-works', 'going-live'].map((wanted) =>
    guides.find(({ name }) => name === wanted),
  );
  const library = guides.find(({ name }) => name === 'sdk');
  const own = guides.filter(({ reader }) => reader === 'developer');
  return html`<h1>Documentation</h1>
<p class="intro">Take payments in your game, pay players, and receive events. All addresses here are those of this installation.</p>
<h2 id="first">First steps</h2>
<ol class="first">
${overview && html`<li><strong>See how it works</strong>, in <a href="${overview.path}">five minutes</a>.</li>`}
<li><strong>Register an app</strong>${console && html` in the <a href="${console}">console</a>`}. It gets an account, a server API key and a client secret.</li>
<li><strong>Make a payment from start to end.</strong> ${
    tutorial
      ? html`The <a href="${tutorial.path}">tutorial</a> takes you there, step by step.`
      : html`The <a href="/tour">tour</a> does it with curl.`
  }</li>
<li><strong>Build it into your game</strong> ${library && html`with the <a href="${library.path}">client library</a> on your server`} and the <a href="/docs/guides/browser">browser script</a> on your page.</li>
<li><strong>Receive events</strong> instead of polling: <a href="/docs/guides/webhooks">webhooks</a>.</li>
${live && html`<li><strong>Before players come</strong>, go through <a href="${live.path}">the list</a>.</li>`}
</ol>
<h2 id="guides">Guides</h2>
<ul class="tiles">${own.map(({ path, title, about }) => tile(path, title, about))}</ul>
<h2 id="tools">Tools</h2>
<ul class="tiles">
${console && tile(console, 'Console', 'Your apps, their keys, webhooks and payments', 'screen')}
${tile(REFERENCE, 'API reference', 'Every call with its fields, responses and problems', 'code')}
${tile('/openapi.json', 'OpenAPI 3.1', 'The same for generators and other tools', 'download')}
${tile('/quarters.js', 'Browser script', 'Opens our pages from your game', 'games')}
${tile(OPERATE, 'Operate', 'Running a service: start, settings, commands, backup, faults')}
</ul>
<section data-moved>
<h2 id="calls">Every call</h2>
${groups.map(
  (group) => html`<h3><a href="${groupPath(group)}">${group.name}</a></h3>
<ul class="index">${group.calls.map(({ call: { operationId, summary, method, path } }) => html`<li id="${operationId}"><a href="${groupPath(group)}#${operationId}">${summary}</a>${callRoute(method, path)}</li>`)}</ul>`,
)}
<h2 id="problems">Every <a href="${PROBLEMS_PATH}">problem</a></h2>
<ul class="codes all">${Object.keys(PROBLEMS).map((code) => html`<li id="${code}"><a href="${problemPath(code)}"><code>${code}</code></a></li>`)}</ul>
</section>`;
}

/** What operators of a service read. */
export function operateContent(guides: readonly Guide[]): Markup {
  return html`<h1>Operate</h1>
<p class="intro">These pages are for operators of a service. Paths such as <code>deploy/patroni</code> name files of its sources.</p>
<ul class="tiles">${guides.filter(({ reader }) => reader === 'operator').map(({ path, title, about }) => tile(path, title, about))}</ul>`;
}

function tile(path: string, title: string, about: string, sign: IconName = 'book'): Markup {
  return html`<li><a href="${path}">${icon(sign)}<strong>${title}</strong><span>${prose(about)}</span></a></li>`;
}
