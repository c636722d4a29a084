import { InvalidArgumentError, Option } from 'commander';
import { toChecksum } from '../base/address.ts';
import type { Column } from '../base/columns.ts';
import { asQuarters } from '../base/quarters.ts';
import { PERIOD_KINDS, type Period, type PeriodKind, parsePeriod, periodAt } from '../economy/periods.ts';
import type { Economy, EconomyStep } from '../views/economy/economy.ts';
import { APP_COLUMNS, ECONOMY_COLUMNS, SPENDER_COLUMNS } from '../views/economy/economy-columns.ts';
import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';

type EconomyOptions = OutputOptions & { readonly period?: PeriodKind; readonly at?: Period };

export function addEconomyCommand(program: CliCommand, context: CliContext): void {
  program
    .command('economy')
    .description('Show how many quarters there are, where they are and how they moved.')
    .addOption(
      new Option('--period <kind>', 'length of the period; shows the current one, in UTC (default: month)').choices([
        ...PERIOD_KINDS,
      ]),
    )
    .option('--at <name>', 'another period: 2026-11-23, 2026-W48, 2026-11 or 2026', parseAt)
    .json()
    .examples('economy', 'economy --period week', 'economy --at 2026-10 --json')
    .action(async ({ period, at, ...options }: EconomyOptions, command: CliCommand) => {
      if (period && at && at.kind !== period)
        command.error(`error: '--at ${at.name}' names a ${at.kind}, not a ${period}.`);
      const chosen = at ?? periodAt(period ?? 'month', new Date());
      const { readEconomy } = await import('../views/economy/read-economy.ts');
      const economy = await withService(context, (service) => readEconomy(service, chosen));
      print(context, options, describe(economy), economyText(economy));
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
  const held = holds ? [['On the way', readableAmount(asQuarters(holds.players + holds.apps))] as const] : [];
  const facts = formatFacts([['Counted up to', counted.isWhole ? until : `${until}; more is being counted`], ...held]);
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
  return {
    counted: { ...counted, block: counted.block === null ? null : Number(counted.block) },
    period: { kind: period.kind, name: period.name, from: period.from, until: period.until },
    comparedUntil,
    sums: plain(sums),
    before: plain(before),
    steps: steps.map(({ flows: _, ...step }: EconomyStep) => plain(step)),
    apps: apps.map(plain),
    activePayers: rest.activePayers,
    spenders: rest.spenders.map((spender) => plain({ ...spender, address: toChecksum(spender.address) })),
    holds: rest.holds && plain(rest.holds),
    distribution: rest.distribution?.map(plain) ?? null,
    top: rest.top && plain(rest.top),
  };
}

/** Turns every amount inside into a number. None exceeds 2^53−1. */
function plain(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? jsonAmount(asQuarters(each)) : each)),
  );
}
