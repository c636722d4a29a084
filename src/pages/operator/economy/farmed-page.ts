import { html } from 'hono/html';
import { csvPieces } from '../../../base/csv.ts';
import type { NamedFarmedGuests } from '../../../views/economy/player-lists.ts';
import { gameName } from '../../../web/game-text.ts';
import { words } from '../../../words/words.ts';
import { type ConsoleContent, consoleTime, panel } from '../../consoles/console.ts';
import { utcMoment } from '../../consoles/periods.ts';
import { spokenTime } from '../../consoles/spoken-time.ts';
import { dataTable, figureRow, pathTo, shortLink } from '../entity-parts.ts';
import { backToEconomy, csvFile, FARMED_PATH } from './more-pages.ts';

const COLUMNS = [
  { label: 'App' },
  { label: 'Made in the hour of' },
  { label: 'Guests', isNumber: true },
  { label: 'Each got', isNumber: true },
  { label: 'They have', isNumber: true },
  { label: 'Have paid', isNumber: true },
  { label: 'Examples' },
] as const;
/** The file has all that were kept. */
const EXAMPLES = 2;

/** Guests who did all the same. Only for operators who have just confirmed who they are. */
export function farmedPage(found: NamedFarmedGuests | null): ConsoleContent {
  const title = 'Guests that look farmed';
  if (!found) return { title, content: html`<p>They are looked for once an hour, and were not yet.</p>` };
  const { at, groups, names } = found;
  const row = (group: (typeof groups)[number]) => [
    html`<a href="${pathTo('app', group.appId)}"><bdi>${gameName(names.get(group.appId) ?? '')}</bdi></a>`,
    consoleTime(group.hour),
    words.number(BigInt(group.guests)),
    html`${words.number(group.quarters)} <span class="hint">by ${words.number(BigInt(group.payouts))} payouts in ${spokenTime(group.seconds * 1000)}</span>`,
    words.number(group.left),
    words.number(BigInt(group.payers)),
    html`${group.examples.slice(0, EXAMPLES).map((id) => html`${shortLink('user', id)} `)}`,
  ];
  const sum = (of: (group: (typeof groups)[number]) => bigint) => groups.reduce((all, group) => all + of(group), 0n);
  const table =
    groups.length === 0
      ? html`<p>No guests of the last 30 days look farmed.</p>`
      : html`${dataTable('Groups of guests who did all the same, the largest first', COLUMNS, groups.map(row))}${csvFile(`${FARMED_PATH}.csv`)}`;
  const content = html`${figureRow([
    ['Groups', words.number(BigInt(groups.length))],
    ['Guests', words.number(sum(({ guests }) => BigInt(guests)))],
    ['They have', words.number(sum(({ left }) => left))],
  ])}
<p class="hint">At least 20 guests of one app, made in the same hour, whom only payouts paid, and who got as many, as much and as fast as each other. A script does so. So does a game that pays everybody alike: this is a hint and no proof. They are looked for once an hour, the last time ${utcMoment(at)}.</p>
${panel('Groups', table)}
<p>${backToEconomy}</p>`;
  return { title, content };
}

export function farmedLines(found: NamedFarmedGuests | null): AsyncGenerator<string> {
  const columns = [
    ...['app id', 'app', 'made in the hour of', 'guests', 'payouts each', 'quarters each', 'within (seconds)'],
    ...['they have (quarters)', 'have paid', 'examples (user ids)'],
  ];
  return csvPieces(columns, [found?.groups ?? []], (group) => [
    ...[group.appId, found?.names.get(group.appId) ?? null, group.hour, group.guests, group.payouts],
    ...[group.quarters, Math.round(group.seconds), group.left, group.payers, group.examples.join(' ')],
  ]);
}
