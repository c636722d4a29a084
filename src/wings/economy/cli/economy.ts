import { InvalidArgumentError, Option } from 'commander';
import { toChecksum } from '../../../base/address.ts';
import type { Column } from '../../../base/columns.ts';
import type { CliCommand } from '../../../cli/command.ts';
import { formatFacts, formatTable, readableTime } from '../../../cli/format.ts';
import { PERIOD_KINDS, type Period, type PeriodKind, parsePeriod, periodAt } from '../base/periods.ts';
import type { Economy } from '../views/economy.ts';
import { APP_COLUMNS, ECONOMY_COLUMNS, SPENDER_COLUMNS } from '../views/economy-columns.ts';

type EconomyOptions = { readonly period?: PeriodKind; readonly at?: Period };

export function addEconomyCommand(program: CliCommand): void {
  program
    .command('economy')
    .description('Show how many quarters there are, where they are and how they moved.')
    .addOption(
      new Option('--period <kind>', 'length of the period; shows the current one, in UTC (default: month)').choices([
        ...PERIOD_KINDS,
      ]),
    )
    .option('--at <name>', 'another period: 2026-11-23, 2026-W48, 2026-11 or 2026', parseAt)
    .examples('economy', 'economy --period week', 'economy --at 2026-10 --json')
    .prints(async (service, { period, at }: EconomyOptions, command: CliCommand) => {
      if (period && at && at.kind !== period)
        command.error(`error: '--at ${at.name}' names a ${at.kind}, not a ${period}.`);
      const chosen = at ?? periodAt(period ?? 'month', new Date());
      const { readEconomy } = await import('../views/read-economy.ts');
      const economy = await readEconomy(service, chosen);
      return { json: describe(economy), text: economyText(economy) };
    });
}

function parseAt(name: string): Period {
  for (const kind of PERIOD_KINDS) {
    const period = parsePeriod(kind, name);
    if (period) return period;
  }
  throw new InvalidArgumentError('Name a day, week, month or year: 2026-11-23, 2026-W48, 2026-11 or 2026.');
}

function economyText(economy: Economy): string {
  const { counted, period, comparedUntil, sums, before, apps, spenders, holds } = economy;
  const until = counted.block === null ? 'nothing yet' : `block ${counted.block}, ${readableTime(counted.at!)}`;
  const comparison = comparedUntil ? `Before, until ${readableTime(comparedUntil).slice(0, 16)}` : 'Before';
  const figures = formatTable<Figure>(
    [
      { label: period.name, value: ({ label }) => label },
      { label: 'Now', kind: 'number', value: ({ value }) => value(sums) ?? 0 },
      { label: comparison, kind: 'number', value: ({ value }) => value(before) ?? 0 },
    ],
    FIGURES.map((name) => ECONOMY_COLUMNS[name]),
  );
  const facts = formatFacts([
    ['Counted up to', counted.isWhole ? until : `${until}; more is being counted`],
    ['On the way', holds && holds.players + holds.apps],
  ]);
  return [facts, figures, apps.length > 0 && appsText(apps), spenders.length > 0 && spendersText(spenders)]
    .filter(Boolean)
    .join('\n');
}

type Figure = Column<Economy['before']>;

const FIGURES = [
  ...(['supply', 'treasury', 'players', 'apps', 'outside', 'issued', 'paid', 'rewards', 'paidOut'] as const),
  ...(['refunded', 'volume', 'payers', 'newGuests', 'becameFull', 'signedUp'] as const),
];

function appsText(apps: Economy['apps']): string {
  const { app, received, payments, payers, out, refunded, balance, appId } = APP_COLUMNS;
  return formatTable([app, received, payments, payers, out, refunded, balance, appId], apps);
}

function spendersText(spenders: Economy['spenders']): string {
  const { player, amount, count, userId } = SPENDER_COLUMNS;
  const name: Column<Economy['spenders'][number]> = {
    ...player,
    value: ({ displayName, address }) => displayName ?? toChecksum(address),
  };
  return formatTable([name, amount, count, userId], spenders);
}

function describe({ counted, period, comparedUntil, sums, before, steps, apps, ...rest }: Economy) {
  const { activePayers, spenders, holds, distribution, top } = rest;
  return {
    counted,
    period: { kind: period.kind, name: period.name, from: period.from, until: period.until },
    comparedUntil,
    sums,
    before,
    steps: steps.map(({ flows: _, ...step }) => step),
    apps,
    activePayers,
    spenders: spenders.map((spender) => ({ ...spender, address: toChecksum(spender.address) })),
    holds,
    distribution: distribution ?? null,
    top,
  };
}
