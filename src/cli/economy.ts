import { type Command, InvalidArgumentError, Option } from 'commander';
import { toChecksum } from '../base/address.ts';
import { asQuarters, withThousands } from '../base/quarters.ts';
import { PERIOD_KINDS, type Period, type PeriodKind, parsePeriod, periodAt } from '../economy/periods.ts';
import type { Economy, EconomyStep } from '../views/economy/economy.ts';
import { type CliContext, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';
import { formatFacts, formatTable, jsonAmount, readableAmount, readableTime } from './format.ts';

type EconomyOptions = OutputOptions & { readonly period?: PeriodKind; readonly at?: Period };

export function addEconomyCommand(program: Command, context: CliContext): void {
  program
    .command('economy')
    .description('Show how many quarters there are, where they are and how they moved.')
    .addOption(
      new Option('--period <kind>', 'length of the period; shows the current one, in UTC (default: month)').choices([
        ...PERIOD_KINDS,
      ]),
    )
    .option('--at <name>', 'another period: 2026-11-23, 2026-W48, 2026-11 or 2026', parseAt)
    .option(...JSON_OPTION)
    .addHelpText('after', example('economy', 'economy --period week', 'economy --at 2026-10 --json'))
    .action(async ({ period, at, ...options }: EconomyOptions, command: Command) => {
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
  const comparison = comparedUntil ? `BEFORE, UNTIL ${readableTime(comparedUntil).slice(0, 16)}` : 'BEFORE';
  const rows = FIGURES.map(([name, read]) => [name, withThousands(read(sums)), withThousands(read(before))]);
  const figures = formatTable(
    [{ title: period.name }, { title: 'NOW', align: 'right' }, { title: comparison, align: 'right' }],
    rows,
  );
  const held = holds ? [['On the way', readableAmount(asQuarters(holds.players + holds.apps))] as const] : [];
  const facts = formatFacts([['Counted up to', counted.isWhole ? until : `${until}; more is being counted`], ...held]);
  return [facts, figures, apps.length > 0 && appsText(apps), spenders.length > 0 && spendersText(spenders)]
    .filter(Boolean)
    .join('\n');
}

type Sums = Economy['before'];

const FIGURES: readonly (readonly [string, (sums: Sums) => bigint])[] = [
  ['Supply', ({ stocks }) => stocks.supply],
  ['In the treasury', ({ stocks }) => stocks.treasury],
  ["In players' hands", ({ stocks }) => stocks.players],
  ["In apps' hands", ({ stocks }) => stocks.apps],
  ['Outside', ({ stocks }) => stocks.outside],
  ['Issued', ({ issued }) => issued],
  ['Paid by players', ({ paid }) => paid],
  ['of that, rewards', ({ rewards }) => rewards],
  ['Paid out to players', ({ paidOut }) => paidOut],
  ['Refunded', ({ refunded }) => refunded],
  ['Volume', ({ volume }) => volume],
  ['Payers', ({ payers }) => BigInt(payers)],
  ['New guests', ({ newGuests }) => BigInt(newGuests ?? 0)],
  ['Guests who became full', ({ becameFull }) => BigInt(becameFull)],
  ['Signed up', ({ signedUp }) => BigInt(signedUp)],
];

function appsText(apps: Economy['apps']): string {
  return formatTable(
    [
      { title: 'APP' },
      ...['RECEIVED', 'PAYMENTS', 'PAYERS', 'PAID OUT', 'REFUNDED', 'BALANCE'].map(
        (title) => ({ title, align: 'right' }) as const,
      ),
      { title: 'APP ID' },
    ],
    apps.map(({ name, received, payments, payers, paidOut, refunded, balance, appId }) => [
      name,
      ...[received, BigInt(payments), BigInt(payers), paidOut, refunded, balance].map(withThousands),
      appId,
    ]),
  );
}

function spendersText(spenders: Economy['spenders']): string {
  return formatTable(
    [
      { title: 'PLAYER' },
      { title: 'PAID', align: 'right' },
      { title: 'PAYMENTS', align: 'right' },
      { title: 'USER ID' },
    ],
    spenders.map(({ displayName, address, amount, count, userId }) => [
      displayName ?? toChecksum(address),
      withThousands(amount),
      `${count}`,
      userId ?? '-',
    ]),
  );
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
