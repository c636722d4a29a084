import { readFileSync } from 'node:fs';
import type { Claim, Figure } from './claim.ts';

/** A claim with the figures of all its runs. */
export type Measured = { readonly claim: Claim; readonly runs: readonly (readonly Figure[])[] };

export type Conditions = {
  readonly machine: Readonly<Record<string, string>>;
  /** Of the tree that is measured, for readers. */
  readonly commit: string;
  readonly date: string;
  readonly seconds: number;
  readonly runs: number;
};

/** A figure over all runs: medians. The ratio is the median of each run's own, because figure and limit were measured together. */
type Summary = Figure & { readonly runs?: readonly number[]; readonly ratio?: number };

/** A claim as `bench/measured.json` keeps it. */
export type Section = Conditions & {
  readonly claim: string;
  readonly title: string;
  readonly method: string;
  readonly figures: readonly Summary[];
};

/** The figures that were written last, of each claim. */
export const MEASURED_FILE = new URL('./measured.json', import.meta.url);

export function readMeasured(): Section[] {
  return JSON.parse(readFileSync(MEASURED_FILE, 'utf8'));
}

/** The sections with these claims measured anew, in the order of the claims there are. The section of another one goes. */
export function withMeasured(
  sections: readonly Section[],
  order: readonly Claim[],
  { conditions, measured }: { readonly conditions: Conditions; readonly measured: readonly Measured[] },
): Section[] {
  const known = new Map(sections.map((section) => [section.claim, section]));
  for (const one of measured) {
    const { name, title, method } = one.claim;
    known.set(name, { claim: name, title, method, ...conditions, figures: summariesOf(one) });
  }
  return order.map(({ name }) => known.get(name)).filter((section) => section !== undefined);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function summariesOf({ runs }: Measured): Summary[] {
  return (runs[0] ?? []).map(({ limit, ...figure }) => {
    const all = runs.flatMap((figures) => figures.filter(({ name }) => name === figure.name));
    return {
      ...figure,
      value: median(all.map(({ value }) => value)),
      ...(all.length > 1 && { runs: all.map(({ value }) => value) }),
      ...(limit && {
        limit: { name: limit.name, value: median(all.map((one) => one.limit!.value)) },
        ratio: median(all.map(({ value, limit: ofRun }) => value / ofRun!.value)),
      }),
    };
  });
}

/** The target with the word "missed" behind each bound that the figure, or its ratio for a bound in percent of the limit, does not keep. */
function judged({ target, value, ratio }: Summary): string {
  const bounds = (target ?? '').split(/, (?=[≥≤])/).map((bound) => {
    const [, sign, number, percent] = /^([≥≤]) ([\d.,]+)( %)?/.exec(bound) ?? [];
    const compared = percent && ratio !== undefined ? ratio * 100 : value;
    const distance = compared - Number(number?.replaceAll(',', ''));
    return (sign === '≥' && distance < 0) || (sign === '≤' && distance > 0) ? `${bound} (missed)` : bound;
  });
  return bounds.join(', ');
}

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', {
    maximumFractionDigits: digits,
    minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
  });
}

export const withUnit = (value: number, unit: string) =>
  formatNumber(value) + (unit === '' || unit.startsWith('/') ? unit : ` ${unit}`);

/** A row of a table: value, name with what each run measured, limit, target. */
function rowOf(summary: Summary): string[] {
  const { name, value, unit, runs } = summary;
  return [
    withUnit(value, unit),
    runs ? `${name} (${runs.map(formatNumber).join(', ')})` : name,
    limitOf(summary),
    judged(summary),
  ];
}

/** One claim as text for a terminal. */
export function textOf(measured: Measured): string {
  const rows = summariesOf(measured).map(rowOf);
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]!.length))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
  return `\n${measured.claim.title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** The figures of one run in one line, without their limits. */
export function lineOf(figures: readonly Figure[]): string {
  return figures.map(({ name, value, unit }) => `${name}: ${withUnit(value, unit)}`).join('; ');
}

const machineText = (machine: Conditions['machine']) =>
  Object.entries(machine)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

export function conditionsText({ machine, seconds, runs }: Conditions): string {
  return `${machineText(machine)}\n${seconds} s of load in each measurement; medians of ${runs} ${runs === 1 ? 'run' : 'runs'}\n`;
}

/** What `docs/benchmarks.md` shows: the machines, and of each claim the figures that `shownOf` chooses. */
export function measuredText(sections: readonly Section[]): string {
  const machines = [...new Set(sections.map(({ machine }) => machineText(machine)))];
  const letter = (machine: string) => String.fromCharCode(65 + machines.indexOf(machine));
  const measuredOn = ({ machine, runs, seconds }: Section) =>
    `machine ${letter(machineText(machine))}, ${runs} × ${seconds} s`;
  const usual = mostFrequent(sections.map(measuredOn));
  return [
    ...machines.map((machine) => `- Machine ${letter(machine)}: ${withoutShared(machine, machines[0]!)}`),
    '',
    `Where a section says nothing else: ${usual}.`,
    ...sections.flatMap((section) => {
      const { claim, title, method, date, commit, figures } = section;
      const on = measuredOn(section);
      const how = [`\`${claim}\``, date, commit, ...(on === usual ? [] : [on])].join(', ');
      return ['', `## ${title}`, '', method, '', `${how}.`, ...tablesOf(shownOf(figures)), ...whysOf(figures)];
    }),
  ].join('\n');
}

/** What a machine does not share with the first one. */
function withoutShared(machine: string, first: string): string {
  if (machine === first) return machine;
  const shared = new Set(first.split('; '));
  const own = machine.split('; ').filter((part) => !shared.has(part));
  return `as A, with ${own.join('; ')}`;
}

function mostFrequent(texts: readonly string[]): string {
  const [most] = [...Map.groupBy(texts, (text) => text).values()].toSorted((a, b) => b.length - a.length);
  return most?.[0] ?? '';
}

/** What stands before the first colon of a name: of which case the figure is. */
const caseOf = ({ name }: Summary) => (name.includes(': ') ? name.slice(0, name.indexOf(': ')) : undefined);

/** A table for each case, if every figure names one. */
function tablesOf(figures: readonly Summary[]): string[] {
  if (figures.some((one) => caseOf(one) === undefined)) return tableOf('', figures);
  const cases = [...Map.groupBy(figures, caseOf)].map(([head = '', ofIt]) => ({
    head,
    figures: ofIt.map((one) => ({ ...one, name: one.name.slice(head.length + 2) })),
  }));
  const all = cases.flatMap((one) => one.figures);
  const limits = new Set(all.map(({ name, limit }) => `${name} ${limit?.value}`));
  const isComparable = limits.size === new Set(all.map(({ name }) => name)).size && !all.some(({ target }) => target);
  return isComparable ? sideBySide(cases) : cases.flatMap((one) => tableOf(one.head, one.figures));
}

/** Cases without targets: their figures are compared with each other, and with the limit that they share, if any. */
function sideBySide(cases: readonly { readonly head: string; readonly figures: readonly Summary[] }[]): string[] {
  const names = [...new Set(cases.flatMap(({ figures }) => figures.map(({ name }) => name)))];
  const find = (figures: readonly Summary[], wanted: string) => figures.find(({ name }) => name === wanted);
  const cell = (found: Summary | undefined) =>
    found ? withUnit(found.value, found.unit) + (found.limit ? ` (${Math.round(found.ratio! * 100)} %)` : '') : '';
  const first = cases[0]?.figures ?? [];
  const limitName = first[0]?.limit?.name;
  const columns = [
    ...(limitName ? [{ head: `Limit: ${limitName}`, of: (name: string) => limitValue(find(first, name)) }] : []),
    ...cases.map(({ head, figures }) => ({ head, of: (name: string) => cell(find(figures, name)) })),
  ];
  return [
    '',
    `| | ${columns.map(({ head }) => head).join(' | ')} |`,
    `|---|${'---:|'.repeat(columns.length)}`,
    ...names.map((name) => `| ${[name, ...columns.map(({ of }) => of(name))].join(' | ')} |`),
  ];
}

const limitValue = (one: Summary | undefined) => (one?.limit ? withUnit(one.limit.value, one.unit) : '');

/** The columns that have something to say. The head names the limit that most figures with one have, and a figure another. */
function tableOf(head: string, figures: readonly Summary[]): string[] {
  const shared = mostFrequent(figures.flatMap(({ limit }) => limit?.name ?? []));
  const columns = [
    { head: 'Figure', cell: ({ value, unit }: Summary) => withUnit(value, unit) },
    { head, cell: (one: Summary) => one.name + spreadOf(one) },
    { head: shared ? `Limit: ${shared}` : 'Limit', cell: (one: Summary) => limitOf(one, shared) },
    { head: 'Target', cell: judged },
  ].filter(({ cell }) => figures.some((one) => cell(one) !== ''));
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    '',
    row(columns.map((column) => column.head)),
    `|---:|${'---|'.repeat(columns.length - 1)}`,
    ...figures.map((one) => row(columns.map(({ cell }) => cell(one)))),
  ];
}

/** The lowest and the highest run, if they are more than a tenth apart. */
function spreadOf({ runs = [] }: Summary): string {
  const [lowest, highest] = [Math.min(...runs), Math.max(...runs)];
  return highest > lowest * 1.1 ? ` (${formatNumber(lowest)}–${formatNumber(highest)})` : '';
}

function limitOf({ limit, ratio, unit }: Summary, shared?: string): string {
  if (!limit) return '';
  const of = `${Math.round(ratio! * 100)} % of ${withUnit(limit.value, unit)}`;
  return limit.name === shared ? of : `${of}: ${limit.name}`;
}

/** The figures with a target. If none has, those with a limit, or all. */
function shownOf(figures: readonly Summary[]): readonly Summary[] {
  const aimedAt = figures.filter(({ target }) => target);
  const compared = figures.filter(({ limit }) => limit);
  return [aimedAt, compared, figures].find(({ length }) => length > 0) ?? [];
}

/** Each reason once, with the targets that are missed for it if it is not the reason of all. */
function whysOf(figures: readonly Summary[]): string[] {
  const missed = figures.filter((summary) => judged(summary).includes('(missed)'));
  const whys = Map.groupBy(missed, ({ whyMissed }) => whyMissed);
  return [...whys].flatMap(([why, ofIt]) => {
    if (why === undefined) return [];
    return [
      '',
      whys.size === 1 ? `Missed: ${why}` : `Missed: ${ofIt.map(({ name }) => `“${name}”`).join(', ')}. ${why}`,
    ];
  });
}
