import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { type FileColumn, numberColumn, textColumn } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { type ConsoleContent, panel } from '../../../pages/consoles/console.ts';
import { dataTable, type ShownColumn } from '../../../pages/consoles/console-table.ts';
import { appLink, shortLink } from '../../../pages/consoles/entity-parts.ts';
import { figureRow } from '../../../pages/consoles/figures.ts';
import { spokenTime } from '../../../pages/consoles/spoken-time.ts';
import type { Markup } from '../../../web/layout.ts';
import type { NamedFarmedGuests } from '../views/player-lists.ts';
import { csvFile, economyPages, FARMED_PATH } from './more-pages.ts';
import { utcMoment } from './period-words.ts';

type Group = NamedFarmedGuests['groups'][number];

/** The file has all that were kept. */
const EXAMPLES = 2;

/** Guests who did all the same. Only for operators who have just confirmed who they are. */
export function farmedPage(found: NamedFarmedGuests | null): ConsoleContent {
  const title = 'Guests that look farmed';
  const pages = economyPages(FARMED_PATH, null);
  if (!found) return { title, content: html`${pages}<p>They are looked for once an hour, and were not yet.</p>` };
  const { at, groups, names } = found;
  const { app, hour, guests, each, left, payers, examples } = columnsOf(names);
  const columns: ShownColumn<Group>[] = [
    { ...app, value: ({ appId }) => appLink(appId, names.get(appId) ?? '') },
    ...[hour, guests],
    { ...each, value: eachGot },
    ...[left, payers],
    {
      ...examples,
      value: (group) => html`${group.examples.slice(0, EXAMPLES).map((id) => html`${shortLink('user', id)} `)}`,
    },
  ];
  const sum = (of: (group: Group) => bigint) => groups.reduce((all, group) => all + of(group), 0n);
  const table =
    groups.length === 0
      ? html`<p>No guests of the last 30 days look farmed.</p>`
      : html`${dataTable('Groups of guests who did all the same, the largest first', columns, groups)}${csvFile(`${FARMED_PATH}.csv`)}`;
  const content = html`${pages}
${figureRow([
  ['Groups', groups.length],
  ['Guests', sum((group) => BigInt(group.guests))],
  ['They have', sum((group) => group.left)],
])}
<p class="hint">At least 20 guests of one app, made in the same hour, whom only payouts paid, and who got as many, as much and as fast as each other. A script does so. So does a game that pays everybody alike: this is a hint and no proof. They are looked for once an hour, the last time ${utcMoment(at)}.</p>
${panel('Groups', table)}`;
  return { title, content };
}

function eachGot({ quarters, payouts, seconds }: Group): Markup {
  return html`${en.number(quarters)} <span class="hint">by ${en.number(BigInt(payouts))} payouts in ${spokenTime(seconds * 1000)}</span>`;
}

const columnsOf = (names: ReadonlyMap<string, string>) =>
  ({
    appId: textColumn('app id', 'App id', ({ appId }) => appId),
    app: textColumn('app', 'App', ({ appId }) => names.get(appId) ?? null),
    hour: textColumn('made in the hour of', 'Made in the hour of', (group) => group.hour),
    guests: numberColumn('guests', 'Guests', (group) => group.guests),
    payouts: numberColumn('payouts each', 'Payouts each', ({ payouts }) => payouts),
    each: numberColumn('quarters each', 'Each got', ({ quarters }) => quarters),
    seconds: numberColumn('within (seconds)', 'Within (seconds)', ({ seconds }) => Math.round(seconds)),
    left: numberColumn('they have (quarters)', 'They have', (group) => group.left),
    payers: numberColumn('have paid', 'Have paid', (group) => group.payers),
    examples: textColumn('examples (user ids)', 'Examples', (group) => group.examples.join(' ')),
  }) satisfies Record<string, FileColumn<Group>>;

export function farmedLines(found: NamedFarmedGuests | null): AsyncGenerator<string> {
  return csvPieces(Object.values(columnsOf(found?.names ?? new Map())), [found?.groups ?? []]);
}
