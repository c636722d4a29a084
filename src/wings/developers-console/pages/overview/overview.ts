import { html } from 'hono/html';
import { toChecksum } from '../../../../base/address.ts';
import type { App } from '../../../../identity/apps.ts';
import { appConsolePage, appIdOf, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { hasBeenAnswered } from '../../../../requests/request-list.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { CHART_LIBRARY, CHARTS_SCRIPT } from '../../../../web/assets.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes } from '../../../../web/visitor.ts';
import { showStatistics } from '../../../economy/features/show-statistics.ts';
import { charts } from '../../../economy/pages/app-charts.ts';
import { figures } from '../../../economy/pages/app-figures.ts';
import { PERIODS, type PeriodName, type Statistics } from '../../../economy/views/read-statistics.ts';
import { appIdentity } from '../keys/keys-page.ts';
import { quartersHint } from '../quarters-hint.ts';
import { firstSteps } from './first-steps.ts';
import { TEST_QUARTERS_GIVEN, testQuartersPanel, testQuartersRoute } from './test-quarters.ts';

/** How soon the page looks again while older payments are still being counted. */
const AGAIN_SECONDS = 2;

/** GET /developer/apps/{id} shows how an app is doing. `period`: `24h`, `7d` or `30d`. */
export function overviewRoutes(visitors: SignedInRoutes, service: Service): void {
  testQuartersRoute(visitors, service);
  visitors.get('/developer/apps/:id', async (request, reply, visitor) => {
    const { session } = visitor;
    const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
    const period = periodOf(parameter(request.query, 'period'));
    const [statistics, isUsed] = await Promise.all([
      showStatistics(service, app, period),
      hasBeenAnswered(service.db, app.id),
    ]);
    if (!statistics.isAll) void reply.header('refresh', String(AGAIN_SECONDS));
    const isGiven = service.development && parameter(request.query, 'given') === 'true';
    const hint = service.development ? testQuartersPanel(visitor, app) : quartersHint(service, app, statistics.balance);
    return sendConsolePage(reply, overviewPage(service, { app, statistics, isUsed, isGiven, hint }));
  });
}

function periodOf(name: string | undefined): PeriodName {
  return Object.hasOwn(PERIODS, name ?? '') ? (name as PeriodName) : '24h';
}

type View = {
  readonly app: App;
  readonly statistics: Statistics;
  /** Players have answered its requests. */
  readonly isUsed: boolean;
  /** It has just got test quarters. */
  readonly isGiven: boolean;
  /** Where quarters come from. */
  readonly hint: Markup | false;
};

function overviewPage(service: Service, { app, statistics, isUsed, isGiven, hint }: View): Page {
  const account = toChecksum(statistics.address);
  const about = html`${appIdentity(app, account)}
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>`;
  if (!isUsed) {
    const content = html`${isGiven && TEST_QUARTERS_GIVEN}${hint}${firstSteps(service, app, account)}${about}`;
    return appConsolePage(app, 'overview', { title: 'Overview', content });
  }
  const content = html`${isGiven && TEST_QUARTERS_GIVEN}${
    !statistics.isAll &&
    html`<p class="notice" role="status">We are still counting older payments. This page looks again in a moment.</p>`
  }
${figures(app, statistics)}
${hint}
${charts(app, statistics)}
${about}`;
  const scripts = [CHART_LIBRARY.path, CHARTS_SCRIPT.path];
  return appConsolePage(app, 'overview', { title: 'Overview', content, scripts, action: periods(app, statistics) });
}

const PERIOD_LABELS: Record<PeriodName, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

function periods({ id }: App, { period }: Statistics): Markup {
  const chip = ([name, label]: [string, string]) =>
    html`<a href="${pathOfApp(id)}?period=${name}"${name === period && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="chips" aria-label="Period">${Object.entries(PERIOD_LABELS).map(chip)}</nav>`;
}
