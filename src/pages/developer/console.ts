import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import { CONSOLE_STYLE, COPY_SCRIPT, LOCAL_TIME_SCRIPT, SECTIONS_SCRIPT } from '../../web/assets.ts';
import { picturePath } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { type IconName, icon } from '../../web/icons.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { type PageHeaders, sendPage } from '../../web/send-page.ts';
import type { Visitor } from '../../web/visitor.ts';

/** The sections of an app, in the order of the sidebar. `path` continues the app's address. */
const SECTIONS = {
  overview: { path: '', label: 'Overview', sign: 'chart' },
  payments: { path: '/payments', label: 'Payments', sign: 'exchange' },
  log: { path: '/log', label: 'Log', sign: 'list' },
  webhooks: { path: '/webhooks', label: 'Webhooks', sign: 'bell' },
  team: { path: '/team', label: 'Team', sign: 'team' },
  keys: { path: '/keys', label: 'Keys', sign: 'key' },
  settings: { path: '/settings', label: 'Settings', sign: 'settings' },
} as const satisfies Record<string, { path: string; label: string; sign: IconName }>;

export type Section = keyof typeof SECTIONS;

type Shown = {
  readonly title: string;
  /** What follows the page's heading. */
  readonly content: Markup;
  /** Stands beside the heading: the page's action. */
  readonly action?: Markup | false | undefined;
  readonly scripts?: readonly string[];
};

/** A page of the console that belongs to no app. */
export function consolePage({ title, content, action, scripts = [] }: Shown): Page {
  const main = html`<main>${heading(title, action)}${content}</main>`;
  return inConsole(title, main, scripts);
}

/** A page of an app: its sections on the left, or above on a phone. */
export function appConsolePage(app: App, section: Section, { title, content, action, scripts = [] }: Shown): Page {
  const main = html`<div class="app">
${sidebar(app, section)}
<main>${heading(title, action)}${content}</main>
</div>`;
  return inConsole(`${title} · ${app.name}`, main, scripts);
}

function inConsole(title: string, main: Markup, scripts: readonly string[]): Page {
  const frame = { inline: false, nav: true, sheet: { name: 'console', path: CONSOLE_STYLE.path } } as const;
  return layout(frame, title, main, COPY_SCRIPT.path, LOCAL_TIME_SCRIPT.path, SECTIONS_SCRIPT.path, ...scripts);
}

function heading(title: string, action: Shown['action']): Markup {
  return html`<div class="heading"><h1>${title}</h1>${action}</div>`;
}

function sidebar(app: App, current: Section): Markup {
  const picture = picturePath(app);
  const link = ([name, { path, label, sign }]: [string, (typeof SECTIONS)[Section]]) =>
    html`<li><a href="${pathOfApp(app.id)}${path}"${name === current && html` aria-current="page"`}>${icon(sign)}${label}</a></li>`;
  return html`<nav class="sections" aria-label="Sections of this app">
<p class="whose">${
    picture
      ? html`<img src="${picture}" alt="" width="32" height="32">`
      : html`<span class="monogram" aria-hidden="true">${[...app.name][0]}</span>`
  }<span><bdi>${app.name}</bdi><a href="/developer">All apps</a></span></p>
<ul>${Object.entries(SECTIONS).map(link)}</ul>
</nav>`;
}

/** Sends a page of the console. It cannot be framed, and shares no window with other sites. */
export function sendConsolePage(reply: FastifyReply, page: Page, headers: PageHeaders = {}): Promise<FastifyReply> {
  return sendPage(reply, page, { script: true, ...headers });
}

/** A section of a page on a surface of its own. */
export function panel(heading: string, content: Markup): Markup {
  return html`<section class="card"><h2>${heading}</h2>
${content}
</section>`;
}

/** A form of a signed-in developer. `page`: where they return to after confirming who they are. */
export function developerForm({ csrf }: Pick<Visitor, 'csrf'>, action: string, page: string, content: Markup): Markup {
  return html`<form method="post" action="${action}">${hidden('csrf', csrf)}${hidden('page', page)}
${content}
</form>`;
}

/** A word for a state, in its colour. */
export function badge(word: string, kind: 'good' | 'bad' | 'wait' | 'plain' = 'plain'): Markup {
  return html`<span class="badge ${kind}">${word}</span>`;
}

/** A moment to the minute: in UTC, and in the reader's time zone where scripts run. */
export function consoleTime(date: Date): Markup {
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** The unchecked id in the path. */
export function appIdOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

/** The address of an app. `id` may be unchecked. */
export function pathOfApp(id: string): string {
  return `/developer/apps/${encodeURIComponent(id)}`;
}

export function appPath(request: FastifyRequest): string {
  return pathOfApp(appIdOf(request));
}
