import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import type { App } from '../../../identity/apps.ts';
import { developerPaymentPaths } from '../../../pages/consoles/app-frame.ts';
import { changeSince, type Figure, figureRow } from '../../../pages/consoles/figures.ts';
import { ON_ITS_WAY, paymentsAddress } from '../../../pages/consoles/payments-filter.ts';
import { spokenTime } from '../../../pages/consoles/spoken-time.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Statistics, Totals } from '../views/read-statistics.ts';
import { approvalRate } from './app-charts.ts';

/** The figures of a period, each beside that of the period before. */
export function figures(app: Pick<App, 'id'>, { balance, held, totals, before, countsCalls }: Statistics): Markup {
  const counted = (label: string, of: (sums: Totals) => bigint | number): Figure => [
    label,
    of(totals),
    before && changeSince(of(totals), of(before)),
  ];
  const measured = (
    label: string,
    of: (sums: Totals) => number | null,
    write: (value: number) => string,
    ...more: string[]
  ): Figure => {
    const [now, then] = [of(totals), before && of(before)];
    const from = then === null ? '' : `from ${write(then)}`;
    return [label, now === null ? '–' : write(now), [...more, from].filter(Boolean).join(', ')];
  };
  const slowest = totals.slowest === null ? '' : `slowest ${spokenTime(totals.slowest)}`;
  const changed = before && changeSince(balance, before.balance);
  const reserved = html`<a href="${paymentsAddress(developerPaymentPaths(app.id).list, { status: ON_ITS_WAY })}">${en.number(held)} held for payouts</a>${changed && '. '}${changed}`;
  return figureRow([
    ['Balance', balance, held > 0n ? reserved : changed],
    counted('Received', ({ received }) => received),
    counted('Paid out', ({ paidOut, refunded }) => paidOut + refunded),
    counted('Payments', ({ payments }) => payments),
    measured('Approval rate', approvalRate, (value) => `${value}%`),
    measured('Median time', ({ median }) => median, spokenTime, slowest),
    countsCalls && counted('API errors', ({ refused, faults }) => refused + faults),
  ]);
}
