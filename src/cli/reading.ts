import type { Column } from '../base/columns.ts';
import { type Facts, inJson, inWords } from '../base/facts.ts';
import type { Printed } from './command.ts';
import { formatFacts, formatTable } from './format.ts';

// What commands that read return to `prints`.

/** All that is known of one thing. `below`: what follows after an empty line. */
export function shown<Of>(facts: Facts<Of>, of: Of, below = ''): Printed {
  return { json: inJson(facts)(of), text: `${formatFacts(inWords(facts, of))}${below && `\n${below}`}` };
}

type ListEnd = {
  /** Of an empty list. */
  readonly none: string;
  /** Where the next page begins. */
  readonly next?: string | null;
};

/** A list: `json` for programs, a table for people. */
export function listed<Row>(
  json: object,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { none, next }: ListEnd,
): Printed {
  const table = rows.length === 0 ? `${none}\n` : formatTable(columns, rows);
  return { json, text: table, ...(next && { hint: `\nThere are more. Continue with --after ${next}\n` }) };
}
