import { html } from 'hono/html';
import type { App } from '../../identity/apps.ts';
import { hidden } from '../../web/fields.ts';
import type { Markup } from '../../web/layout.ts';

/** In two or three words. */
export function autoApprovalState({ autoApprove, autoApproveRequestedAt }: App): string {
  if (autoApprove) return 'enabled';
  return autoApproveRequestedAt ? 'requested' : 'not enabled';
}

/** Explains auto approval, and shows the app's state and the form that requests it. */
export function autoApprovalSection(app: App, csrf: string): Markup {
  return html`<section>
<h2>Auto approval</h2>
<p>Players can set a spending limit, within which your game doesn’t ask each time.</p>
${state(app, csrf)}
</section>`;
}

function state(app: App, csrf: string): Markup {
  if (app.autoApprove)
    return html`<p>It is <strong>enabled</strong> for this app. Players can choose it when they approve a payment.</p>`;
  if (app.autoApproveRequestedAt) {
    return html`<p>You <strong>requested it</strong> on ${app.autoApproveRequestedAt.toISOString().slice(0, 10)}. The operator will decide.</p>`;
  }
  return html`<p>It is <strong>not enabled</strong> for this app. The operator enables it on request.</p>
<form method="post" action="/developer/apps/${app.id}/auto-approval">
${hidden('csrf', csrf)}${hidden('page', `/developer/apps/${app.id}`)}
<button class="secondary">Request auto approval</button>
</form>`;
}
