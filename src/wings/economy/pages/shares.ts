import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { type Figure, figureRow, percentText } from '../../../pages/consoles/figures.ts';
import type { Markup } from '../../../web/layout.ts';
import { percentOf } from '../base/percent.ts';
import type { Economy } from '../views/economy.ts';

/** A part of a whole, or how much a quantity grew: `part` is then what was added. */
export type Share = {
  readonly name: string;
  readonly part: bigint;
  readonly whole: bigint;
  readonly isGrowth: boolean;
  readonly about: string;
};

/** How much there is more of than when the period began, and how much of it the richest players have. */
export function shareRows({ sums: { stocks, opening }, top, distribution }: Economy): Share[] {
  const circulating = ({ supply, treasury }: typeof stocks) => supply - treasury;
  const grown = (name: string, from: bigint, to: bigint) => {
    const about = `From ${en.number(from)} to ${en.number(to)}`;
    return { name, part: to - from, whole: from, isGrowth: true, about };
  };
  const rows: Share[] = [
    grown('Inflation: quarters in circulation', circulating(opening), circulating(stocks)),
    grown('Growth of the supply', opening.supply, stocks.supply),
  ];
  if (!top || top.players === 0n) return rows;
  const own = distribution?.reduce((sum, { quarters }) => sum + quarters, 0n) ?? 0n;
  const share = (name: string, whole: bigint) => {
    const about = `${en.number(top.quarters)} of ${en.number(whole)}, by ${en.number(top.players)} ${top.players === 1n ? 'player' : 'players'}`;
    return { name, part: top.quarters, whole, isGrowth: false, about };
  };
  return [
    ...rows,
    share('Richest 1% of players, of the supply', stocks.supply),
    share('Richest 1%, of what players had', own),
  ];
}

export const SHARE_COLUMNS: readonly FileColumn<Share>[] = [
  textColumn('figure', 'Figure', ({ name }) => name),
  numberColumn('part or growth (quarters)', 'Part', ({ part }) => part),
  numberColumn('of (quarters)', 'Of', ({ whole }) => whole),
  numberColumn('percent', 'Percent', ({ part, whole }) => percentOf(part, whole)),
];

/** These shares as a strip of figures. */
export function shareFigures(economy: Economy): Markup {
  const figure = ({ name, part, whole, isGrowth, about }: Share): Figure => {
    const percent = percentOf(part, whole);
    const grown = isGrowth && percent !== null;
    return [name, grown ? en.signedPercent(percent / 100) : percentText(percent), about];
  };
  return html`<section aria-labelledby="shares"><h2 id="shares">Inflation and concentration</h2>
${figureRow(shareRows(economy).map(figure))}</section>`;
}
