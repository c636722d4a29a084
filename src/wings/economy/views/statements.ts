import type { App } from '../../../identity/apps.ts';
import type { Flow } from '../../../ledger/flows.ts';
import type { Period } from '../base/periods.ts';
import type { AppFlows, CountedUpTo } from './economy.ts';
import { FLOW_NAMES } from './flow-names.ts';

/** What one kind of posting brought to an app's account, or took from it. */
export type StatementLine = {
  readonly name: string;
  readonly kind: Flow['kind'];
  readonly count: number;
  readonly quarters: bigint;
};

/** What an app's account had, got, gave and has. `opening` + `totalIn` − `totalOut` = `closing`, exactly. */
export type Statement = {
  readonly app: Pick<App, 'id' | 'name'>;
  readonly period: Period;
  readonly counted: CountedUpTo;
  readonly opening: bigint;
  readonly in: readonly StatementLine[];
  readonly totalIn: bigint;
  readonly out: readonly StatementLine[];
  readonly totalOut: bigint;
  readonly closing: bigint;
  /** Whether every block of the period is counted, so that it will not change. */
  readonly isFinal: boolean;
};

/** Kinds of which every statement has a line, also with 0 quarters, and every file a column. */
export const STATEMENT_KINDS: Readonly<Record<'in' | 'out', readonly Flow['kind'][]>> = {
  in: ['payment', 'reward', 'issue', 'deposit'],
  out: ['payout', 'refund', 'withdrawal'],
};

/** The statement of what an app's account got and gave in a period. */
export function statementOf(
  app: Pick<App, 'id' | 'name'>,
  period: Period,
  counted: CountedUpTo,
  { opening, flows, closing }: Omit<AppFlows, 'appId'>,
): Statement {
  const inward = linesOf(
    flows.filter(({ to }) => to === 'app'),
    'from',
    STATEMENT_KINDS.in,
  );
  const outward = linesOf(
    flows.filter(({ from }) => from === 'app'),
    'to',
    STATEMENT_KINDS.out,
  );
  return {
    ...{ app, period, counted, opening, closing },
    ...{ in: inward, totalIn: sumOfLines(inward), out: outward, totalOut: sumOfLines(outward) },
    isFinal: counted.at !== null && counted.at >= period.until,
  };
}

function linesOf(flows: readonly Flow[], other: 'from' | 'to', always: readonly Flow['kind'][]): StatementLine[] {
  const lines = new Map<string, StatementLine>(
    always.map((kind) => [FLOW_NAMES[kind], { name: FLOW_NAMES[kind], kind, count: 0, quarters: 0n }]),
  );
  for (const { kind, count, amount, [other]: party } of flows) {
    const name = party === 'other-app' ? `${FLOW_NAMES[kind]} (another app)` : FLOW_NAMES[kind];
    const line = lines.get(name) ?? { name, kind, count: 0, quarters: 0n };
    lines.set(name, { ...line, count: line.count + count, quarters: line.quarters + amount });
  }
  return [...lines.values()];
}

export function sumOfLines(lines: readonly StatementLine[]): bigint {
  return lines.reduce((sum, { quarters }) => sum + quarters, 0n);
}
