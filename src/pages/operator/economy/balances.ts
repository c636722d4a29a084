import { html } from 'hono/html';
import type { BalanceBucket } from '../../../economy/days.ts';
import type { Economy } from '../../../views/economy/economy.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { consoleTable } from '../../consoles/console-table.ts';

/** How many quarters the players of a bucket have: `0`, `10 to 19`, `1,000,000 or more`. */
function bucketWords({ from }: Pick<BalanceBucket, 'from'>, next: Pick<BalanceBucket, 'from'> | undefined): string {
  if (!next) return from === 0n ? '0' : `${words.number(from)} or more`;
  const to = next.from - 1n;
  return to === from ? words.number(from) : `${words.number(from)} to ${words.number(to)}`;
}

const share = (part: bigint | number, whole: bigint | number) =>
  Number(whole) === 0 ? 0 : Number(part) / Number(whole);

/** How players' balances are distributed: a row for each size, with a bar for its share of the players. */
export function balancesTable({ distribution }: Economy): Markup {
  if (!distribution) return html`<p>Balances were not noted in this period. They are noted once a day.</p>`;
  const accounts = distribution.reduce((sum, bucket) => sum + bucket.accounts, 0);
  const quarters = distribution.reduce((sum, bucket) => sum + bucket.quarters, 0n);
  const most = Math.max(1, ...distribution.map((bucket) => bucket.accounts));
  const row = (bucket: BalanceBucket, i: number) =>
    html`<tr><th scope="row">${bucketWords(bucket, distribution[i + 1])}</th>
<td class="bar" aria-hidden="true"><svg role="presentation" width="100%" height="12"><rect width="${(100 * share(bucket.accounts, most)).toFixed(2)}%" height="12" rx="3"/></svg></td>
<td class="number" data-label="Players">${words.number(BigInt(bucket.accounts))}</td><td class="number" data-label="Of players">${words.percent(share(bucket.accounts, accounts))}</td><td class="number" data-label="Quarters">${words.number(bucket.quarters)}</td><td class="number" data-label="Of quarters">${words.percent(share(bucket.quarters, quarters))}</td></tr>`;
  return consoleTable(
    'Players by their balance',
    html`<thead><tr><th scope="col">Balance</th><td class="bar"></td><th scope="col" class="number">Players</th><th scope="col" class="number">Of players</th><th scope="col" class="number">Quarters</th><th scope="col" class="number">Of quarters</th></tr></thead>
<tbody>${distribution.map(row)}
<tr class="total"><th scope="row">Total</th><td class="bar"></td><td class="number" data-label="Players">${words.number(BigInt(accounts))}</td><td></td><td class="number" data-label="Quarters">${words.number(quarters)}</td><td></td></tr></tbody>`,
    'amounts balances',
  );
}
