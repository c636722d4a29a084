import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import type { House } from '../../service/house.ts';
import { picturePath } from '../../views/apps/picture-path.ts';
import type { Markup, Page } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { type ConsoleContent, consolePage, consoleSidebar, consoleTime } from './console.ts';
import type { PaymentPaths } from './payments-filter.ts';
import { APP_SECTIONS } from './sections.ts';

/** A page of an app: its sections on the left, or above on a phone. */
export function appConsolePage(app: App, section: string, content: ConsoleContent): Page {
  const picture = picturePath(app);
  const whose = html`<p class="whose">${
    picture
      ? html`<img src="${picture}" alt="" width="32" height="32">`
      : html`<span class="monogram" aria-hidden="true">${[...app.name][0]}</span>`
  }<span><bdi>${app.name}</bdi><a href="/developer">All apps</a></span></p>`;
  const sections = { label: 'Sections of this app', base: pathOfApp(app.id), whose };
  const sidebar = (house: House) => consoleSidebar(house, sections, APP_SECTIONS, section);
  const shown = app.suspendedAt
    ? { ...content, content: html`${suspended(app.suspendedAt)}${content.content}` }
    : content;
  return consolePage(shown, sidebar, app.name);
}

function suspended(since: Date): Markup {
  return html`<section class="notice bad" aria-labelledby="suspended"><h2 id="suspended">The operator has suspended this app</h2>
<p>Its keys and tokens do not work, and no quarters move to it or from it. Payments accepted before still settle, and their webhooks are
delivered. Its quarters stay.</p>
<p>You can read everything here and revoke keys. To have the app resumed, ask the operator of this service.</p>
<p class="hint">Suspended: ${consoleTime(since)}</p></section>`;
}

/** For a form that was open when the app was suspended. */
export const APP_SUSPENDED: PageMessage = {
  status: 403,
  title: 'This app is suspended',
  text: 'Nothing was changed. To have the app resumed, ask the operator of this service.',
  home: true,
  help: true,
};

/** The unchecked id in the path. */
export function appIdOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

/** The address of an app. `id` may be unchecked. */
export function pathOfApp(id: string): string {
  return `/developer/apps/${encodeURIComponent(id)}`;
}

/** Where an app's calls are listed, narrowed to those with a server API key or an error code; null if nothing lists them. */
export function callsAddress({ of }: House, appId: string, only: { server: string } | { code: string }): string | null {
  const log = of(APP_SECTIONS).find(({ name }) => name === 'log');
  return log ? `${pathOfApp(appId)}${log.path}?${new URLSearchParams(only)}` : null;
}

/** Where this console shows an app's payments. */
export function developerPaymentPaths(appId: string): PaymentPaths {
  const list = `${pathOfApp(appId)}/payments`;
  return { list, one: (id) => `${list}/${id}`, player: (id) => `${pathOfApp(appId)}/players/${id}` };
}

export function appPath(request: FastifyRequest): string {
  return pathOfApp(appIdOf(request));
}
