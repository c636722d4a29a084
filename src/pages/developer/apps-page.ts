import { html } from 'hono/html';
import { withThousands } from '../../base/quarters.ts';
import type { ListedApp } from '../../features/apps/listed-app.ts';
import { layout, type Markup, unit } from '../../web/layout.ts';
import { verifiedState } from './app-sections.ts';
import { autoApprovalState } from './auto-approval-section.ts';

/** A developer's apps. */
export function appsPage(apps: readonly ListedApp[]): Markup {
  return layout(
    { inline: false, nav: true },
    'Your apps',
    html`<main>
<h1>Your apps</h1>
${
  apps.length === 0
    ? html`<p>No apps yet. Register your game to create guests, ask players for quarters and pay them.</p>`
    : apps.map(appSection)
}
<p class="actions"><a class="primary" href="/developer/apps/new">Register an app</a></p>
<p class="back"><a href="/docs">API reference</a></p>
</main>`,
  );
}

function appSection({ app, address, balance }: ListedApp): Markup {
  return html`<section>
<h2><a href="/developer/apps/${app.id}">${app.name}</a></h2>
<dl>
<div><dt>App id</dt><dd><code>${app.id}</code></dd></div>
<div><dt>Account</dt><dd><code>${address}</code></dd></div>
<div><dt>Balance</dt><dd>${withThousands(balance)} ${unit(balance)}</dd></div>
<div><dt>Verified</dt><dd>${verifiedState(app)}</dd></div>
<div><dt>Auto approval</dt><dd>${autoApprovalState(app)}</dd></div>
</dl>
</section>`;
}
