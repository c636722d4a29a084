import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { ExtensionPoint, House } from '../../service/house.ts';
import { CONSOLE_STYLE, COPY_SCRIPT, LOCAL_TIME_SCRIPT, SECTIONS_SCRIPT } from '../../web/assets.ts';
import { hidden } from '../../web/fields.ts';
import { icon } from '../../web/icons.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { type PageHeaders, sendPage } from '../../web/send-page.ts';
import type { Visitor } from '../../web/visitor.ts';
import { type ConsoleSection, inOrder } from './sections.ts';

/** What a page of a console consists of, developers' or operators'. */
export type ConsoleContent = {
  readonly title: string;
  /** What follows the page's heading. */
  readonly content: Markup;
  /** Stands beside the heading: the page's action. */
  readonly action?: Markup | false | undefined;
  readonly scripts?: readonly string[];
};

/** A page of a console. `sidebar`: its sections, on the left, or above on a phone. `where`: follows the title in the window's name. */
export function consolePage(
  { title, content, action, scripts = [] }: ConsoleContent,
  sidebar?: Page['sidebar'],
  where = '',
): Page {
  const column = html`<main><div class="heading"><h1>${title}</h1>${action}</div>${content}</main>`;
  const frame = { inline: false, nav: true, sheet: { name: 'console', path: CONSOLE_STYLE.path } } as const;
  const paths = [COPY_SCRIPT.path, LOCAL_TIME_SCRIPT.path, SECTIONS_SCRIPT.path, ...scripts];
  const page = layout(frame, where === '' ? title : `${title} · ${where}`, column, ...paths);
  return sidebar ? { ...page, sidebar } : page;
}

/** The links to the sections of a console. `whose`: what stands above them. */
export function consoleSidebar(
  house: House,
  { label, base, whose }: { label: string; base: string; whose: Markup },
  sections: ExtensionPoint<ConsoleSection>,
  current: string | null,
): Markup {
  const link = ({ name, path, label, sign }: ConsoleSection) =>
    html`<li><a href="${base}${path}"${name === current && html` aria-current="page"`}>${icon(sign)}${label}</a></li>`;
  return html`<nav class="sections" aria-label="${label}">
${whose}
<ul>${inOrder(house, sections).map(link)}</ul>
</nav>`;
}

/** Sends a page of a console. It cannot be framed, and shares no window with other sites. */
export function sendConsolePage(reply: FastifyReply, page: Page, headers: PageHeaders = {}): Promise<FastifyReply> {
  return sendPage(reply, page, { script: true, ...headers });
}

/** A section of a page on a surface of its own. */
export function panel(heading: string, content: Markup): Markup {
  return html`<section class="card"><h2>${heading}</h2>
${content}
</section>`;
}

/** A form of somebody who is signed in. `page`: where they return to after confirming who they are. */
export function consoleForm({ csrf }: Pick<Visitor, 'csrf'>, action: string, page: string, content: Markup): Markup {
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
