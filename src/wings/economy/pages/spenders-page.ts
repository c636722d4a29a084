import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import type { ConsoleContent } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { percentText } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import { percentOf } from '../base/percent.ts';
import type { Economy, Spender } from '../views/economy.ts';
import { RANK_COLUMN, rankedSpenders, SPENDER_COLUMNS } from '../views/economy-columns.ts';
import { countedNotice } from './counted-notice.ts';
import { csvFile, economyPages, SPENDERS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';
import { periodWords } from './period-words.ts';

/** Who spent the most in a period. Only for operators who have just confirmed who they are. */
export function spendersPage({ period, counted, spenders, sums }: Economy, now = new Date()): ConsoleContent {
  const { player, userId, count, amount } = SPENDER_COLUMNS;
  const columns: ShownColumn<Spender & { readonly rank: number }>[] = [
    RANK_COLUMN,
    { ...player, value: playerLink },
    { ...userId, value: (spender) => html`<code>${spender.userId ?? 'closed account'}</code>` },
    ...[count, amount],
    { label: 'Of all spending', kind: 'number', value: (spender) => percentText(percentOf(spender.amount, sums.paid)) },
  ];
  const caption = `Players who spent the most in ${periodWords(period)}`;
  const table = html`${dataTable(caption, columns, rankedSpenders({ spenders }), { kind: 'amounts', heading: 1 })}
${csvFile(periodAddress(`${SPENDERS_PATH}.csv`, period))}`;
  const content = html`${economyPages(SPENDERS_PATH, period)}
${periodSteps(SPENDERS_PATH, period, now)}
${countedNotice(counted)}
<section class="card"><h2 class="visually-hidden">Players</h2>
${spenders.length > 0 ? table : html`<p>Nobody paid in this period.</p>`}
</section>
<p class="hint">Quarters paid to apps, rewards included.</p>`;
  return { title: 'Top spenders', content, action: periodKinds(SPENDERS_PATH, period, now) };
}

function playerLink({ userId, displayName, address }: Spender): Markup {
  return userId
    ? html`<a href="/operator/users/${userId}"><bdi>${displayName ?? userId}</bdi></a>`
    : html`<a href="/operator/addresses/${address}"><code>${toChecksum(address)}</code></a>`;
}
