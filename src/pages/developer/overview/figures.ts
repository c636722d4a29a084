import { html } from 'hono/html';
import type { App } from '../../../identity/apps.ts';
import type { Statistics, Totals } from '../../../views/statistics/read-statistics.ts';
import type { Markup } from '../../../web/layout.ts';
import { words } from '../../../words/words.ts';
import { ON_ITS_WAY, paymentsAddress } from '../../consoles/payments-filter.ts';
import { spokenTime } from '../../consoles/spoken-time.ts';
import { paymentPlaces } from '../console.ts';
import { approvalRate } from './charts.ts';

/** What stands below a figure: how it changed since the period before. Empty if that is not known, or there was nothing. */
function change(now: bigint | number, before: bigint | number | undefined, write: (value: never) => string): string {
  if (before === undefined || Number(before) === 0) return '';
  return `${words.signedPercent((Number(now) - Number(before)) / Number(before))} from ${write(before as never)}`;
}

function figure(label: string, value: Markup | string, about: Markup | string): Markup {
  return html`<div class="figure"><dt>${label}</dt><dd>${value}</dd>${about && html`<dd>${about}</dd>`}</div>`;
}

/** The figures of a period, each beside that of the period before. */
export function figures(app: Pick<App, 'id'>, { balance, held, totals, before }: Statistics): Markup {
  const counted = (label: string, of: (sums: Totals) => bigint | number) => {
    const write = (value: bigint | number) => words.number(BigInt(value));
    return figure(label, write(of(totals)), change(of(totals), before ? of(before) : undefined, write));
  };
  const measured = (
    label: string,
    of: (sums: Totals) => number | null,
    write: (value: number) => string,
    ...more: string[]
  ) => {
    const [now, then] = [of(totals), before && of(before)];
    const from = then === null ? '' : `from ${write(then)}`;
    return figure(label, now === null ? '–' : write(now), [...more, from].filter(Boolean).join(', '));
  };
  const changed = change(balance, before?.balance, words.number);
  const reserved = html`<a href="${paymentsAddress(paymentPlaces(app.id).list, { status: ON_ITS_WAY })}">${words.number(held)} held for payouts</a>${changed && '. '}${changed}`;
  return html`<dl class="figures">
${figure('Balance', words.number(balance), held > 0n ? reserved : changed)}
${counted('Received', ({ received }) => received)}
${counted('Paid out', ({ paidOut, refunded }) => paidOut + refunded)}
${counted('Payments', ({ payments }) => payments)}
${measured('Approval rate', approvalRate, (value) => `${value}%`)}
${measured('Median time', ({ median }) => median, spokenTime, totals.slowest === null ? '' : `slowest ${spokenTime(totals.slowest)}`)}
${counted('API errors', ({ refused, faults }) => refused + faults)}
</dl>`;
}
