import { html } from 'hono/html';
import { toChecksum } from '../../../base/address.ts';
import type { Economy, Spender } from '../../../views/economy/economy.ts';
import { icon } from '../../../web/icons.ts';
import { words } from '../../../words/words.ts';
import type { ConsoleContent } from '../../consoles/console.ts';
import { consoleTable } from '../../consoles/console-table.ts';
import { periodWords } from '../../consoles/periods.ts';
import { countedNotice } from './counted-notice.ts';
import { SPENDERS_PATH } from './more-pages.ts';
import { periodAddress, periodKinds, periodSteps } from './period-choice.ts';

/** Who spent the most in a period. Only for operators who have just confirmed who they are. */
export function spendersPage({ period, counted, spenders, sums }: Economy, now = new Date()): ConsoleContent {
  const row = ({ userId, displayName, address, count, amount }: Spender, i: number) =>
    html`<tr><td data-label="Rank" class="number">${i + 1}</td><th scope="row">${
      userId
        ? html`<a href="/operator/users/${userId}"><bdi>${displayName ?? userId}</bdi></a>`
        : html`<a href="/operator/addresses/${address}"><code>${toChecksum(address)}</code></a>`
    }</th><td data-label="User"><code>${userId ?? 'closed account'}</code></td><td class="number" data-label="Transfers">${words.number(BigInt(count))}</td><td class="number" data-label="Spent">${words.number(amount)}</td><td class="number" data-label="Of all spending">${share(amount, sums.paid)}</td></tr>`;
  const table = html`${consoleTable(
    `Players who spent the most in ${periodWords(period)}`,
    html`<thead><tr><th scope="col" class="number">Rank</th><th scope="col">Player</th><th scope="col">User</th><th scope="col" class="number">Transfers</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Of all spending</th></tr></thead>
<tbody>${spenders.map(row)}</tbody>`,
    'amounts',
  )}
<p class="files"><a href="${periodAddress(`${SPENDERS_PATH}.csv`, period)}">${icon('download')}Download CSV</a></p>`;
  const content = html`${periodSteps(SPENDERS_PATH, period, now)}
${countedNotice(counted)}
<section class="card"><h2 class="visually-hidden">Players</h2>
${spenders.length > 0 ? table : html`<p>Nobody paid in this period.</p>`}
</section>
<p class="hint">Quarters paid to apps, rewards included. <a href="${periodAddress('/operator', period)}">Back to the economy</a></p>`;
  return { title: 'Top spenders', content, action: periodKinds(SPENDERS_PATH, period, now) };
}

function share(part: bigint, whole: bigint): string {
  return whole === 0n ? '–' : words.percent(Number(part) / Number(whole));
}
