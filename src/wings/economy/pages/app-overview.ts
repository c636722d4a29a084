import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import type { AppOverview } from '../../../pages/additions.ts';
import { pathOfApp } from '../../../pages/consoles/app-frame.ts';
import type { Service } from '../../../service/service.ts';
import { CHART_LIBRARY, CHARTS_SCRIPT } from '../../../web/assets.ts';
import type { Markup } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { showStatistics } from '../features/show-statistics.ts';
import { PERIODS, type PeriodName, type Statistics } from '../views/read-statistics.ts';
import { charts } from './app-charts.ts';
import { figures } from './app-figures.ts';

/** How soon the page looks again while older payments are still being counted. */
const AGAIN_SECONDS = 2;

/** Figures and charts of an app. `period` of the query: `24h`, `7d` or `30d`. */
export async function showAppOverview(service: Service, app: App, query: unknown): Promise<AppOverview> {
  const statistics = await showStatistics(service, app, periodOf(parameter(query, 'period')));
  const { isAll } = statistics;
  return {
    figures: html`${
      !isAll &&
      html`<p class="notice" role="status">We are still counting older payments. This page looks again in a moment.</p>`
    }
${figures(app, statistics)}`,
    content: charts(service.house, app, statistics),
    scripts: [CHART_LIBRARY.path, CHARTS_SCRIPT.path],
    action: periods(app, statistics),
    againAfter: isAll ? undefined : AGAIN_SECONDS,
  };
}

function periodOf(name: string | undefined): PeriodName {
  return Object.hasOwn(PERIODS, name ?? '') ? (name as PeriodName) : '24h';
}

const PERIOD_LABELS: Record<PeriodName, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

function periods({ id }: App, { period }: Statistics): Markup {
  const chip = ([name, label]: [string, string]) =>
    html`<a href="${pathOfApp(id)}?period=${name}"${name === period && html` aria-current="true"`}>${label}</a>`;
  return html`<nav class="chips" aria-label="Period">${Object.entries(PERIOD_LABELS).map(chip)}</nav>`;
}
