import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import { type Bases, basesOf } from '../../../config/bases.ts';
import { appFor, asDeveloper } from '../../../features/apps/managers.ts';
import {
  PERIODS,
  type PeriodName,
  readStatistics,
  type Statistics,
} from '../../../features/statistics/read-statistics.ts';
import type { App } from '../../../identity/apps.ts';
import { hasRequests } from '../../../requests/request-list.ts';
import type { Service } from '../../../settlement/service.ts';
import { CHART_LIBRARY, CHARTS_SCRIPT } from '../../../web/assets.ts';
import { sendConsolePage } from '../../../web/console.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { signedIn } from '../../../web/visitor.ts';
import { appConsolePage, appIdOf, pathOfApp } from '../console.ts';
import { appIdentity } from '../keys/keys-page.ts';
import { quartersHint } from '../quarters-hint.ts';
import { charts } from './charts.ts';
import { figures } from './figures.ts';
import { firstSteps } from './first-steps.ts';

/** How soon the page looks again while older payments are still being counted. */
const AGAIN_SECONDS = 2;

/** GET /developer/apps/{id} shows how an app is doing. `period`: `24h`, `7d` or `30d`. */
export function overviewRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/developer/apps/:id',
    signedIn(service, async (request, reply, { session }) => {
      const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
      const period = periodOf(parameter(request.query, 'period'));
      const [statistics, isUsed] = await Promise.all([
        readStatistics(service, app, period),
        hasRequests(service.db, app.id),
      ]);
      if (!statistics.isAll) void reply.header('refresh', String(AGAIN_SECONDS));
      const bases = basesOf(service.settings, service.publicUrl);
      return sendConsolePage(
        reply,
        overviewPage({ app, statistics, isUsed, bases, hint: quartersHint(service, app, statistics.balance) }),
      );
    }),
  );
}

function periodOf(name: string | undefined): PeriodName {
  return Object.hasOwn(PERIODS, name ?? '') ? (name as PeriodName) : '24h';
}

type View = {
  readonly app: App;
  readonly statistics: Statistics;
  readonly isUsed: boolean;
  readonly bases: Bases;
  /** Where quarters come from, while the app has none. */
  readonly hint: Markup | false;
};

function overviewPage({ app, statistics, isUsed, bases, hint }: View): Page {
  const about = html`${appIdentity(app, toChecksum(statistics.address))}
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>`;
  if (!isUsed) {
    const content = html`${hint}${firstSteps(app, bases)}${about}`;
    return appConsolePage(app, 'overview', { title: 'Overview', content });
  }
  const content = html`${
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
