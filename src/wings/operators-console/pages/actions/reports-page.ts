import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { listReports, type ReportView } from '../../../../features/reports/reports.ts';
import { consoleTime, sendConsolePage } from '../../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import type { Markup } from '../../../../web/layout.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { actionsOn } from './forms.ts';

const PATH = '/operator/player-reports';

/** GET /operator/player-reports lists what players reported and nobody has resolved. */
export function playerReportsRoute(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, { fresh: true }, async (_request, reply, visitor) => {
    const reports = await listReports(service);
    const content =
      reports.length === 0
        ? html`<section class="card"><p>No open reports.</p></section>`
        : html`${reports.map((report) => reportCard(visitor, report))}`;
    return sendConsolePage(reply, operatorPage(visitor, 'player-reports', { title: 'Player reports', content }));
  });
}

function reportCard(visitor: Visitor, report: ReportView): Markup {
  const { id, appId, appName, requestId, userId, reason, text, createdAt } = report;
  return html`<section class="card">
<h2>${en.report.reasons[reason]}</h2>
${text !== '' && html`<blockquote><bdi>${text}</bdi></blockquote>`}
<dl class="facts">
<div><dt>App</dt><dd><a href="/operator/apps/${appId}"><bdi>${appName}</bdi></a></dd></div>
<div><dt>Player</dt><dd><a href="/operator/users/${userId}"><code>${userId}</code></a></dd></div>
${requestId && html`<div><dt>Payment</dt><dd><a href="/operator/payments/${requestId}"><code>${requestId}</code></a></dd></div>`}
<div><dt>Reported</dt><dd>${consoleTime(createdAt)}</dd></div>
</dl>
${actionsOn(visitor, PATH, { on: 'report', shown: report, name: id })}
</section>`;
}
