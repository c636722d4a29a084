import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { changeSince, type Figure, figureRow } from '../../../pages/consoles/figures.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Period } from '../base/periods.ts';
import type { Statement } from '../views/statements.ts';
import { comparedWith } from './counted-notice.ts';
import { economyPages } from './more-pages.ts';
import { periodKinds, periodSteps } from './period-choice.ts';
import { countedSentence, statementTable } from './statement.ts';

type View = {
  readonly app: App;
  readonly period: Period;
  readonly now: Statement;
  readonly before: Statement;
  /** Null if the period is over. */
  readonly comparedUntil: Date | null;
};

/** What one app's account got and gave in a period, beside the period before. */
export function appEconomyPage({ app, period, now, before, comparedUntil }: View): ConsoleContent {
  const path = `/operator/economy/apps/${app.id}`;
  const figure = (label: string, of: (statement: Statement) => bigint): Figure => [
    label,
    of(now),
    changeSince(of(now), of(before)),
  ];
  const content = html`${economyPages(null, period)}
${periodSteps(path, period)}
<p class="${now.counted.isWhole ? 'hint' : 'notice'}">${countedSentence(now)}</p>
${figureRow([
  figure('Balance', ({ closing }) => closing),
  figure('In', ({ totalIn }) => totalIn),
  figure('Out', ({ totalOut }) => totalOut),
])}
<p class="hint">${comparedWith({ period, comparedUntil })}</p>
${panel('Statement', statementTable(now))}
<p><a href="/operator/apps/${app.id}">About this app</a></p>`;
  return { title: gameText(app.name, 80) ?? app.id, content, action: periodKinds(path, period) };
}
