import type { Cell, Column } from './columns.ts';

/** What people read: null leaves a fact out, and each text of a list is a line of its own. */
type Said = Cell | readonly string[];

/** What is known of a thing. With a label, people read it too: on a page, in a terminal. */
type Fact<Of> = {
  readonly label?: string;
  readonly kind?: Column<Of>['kind'];
  /** For programs. Left out: the fact is for people alone. */
  readonly value?: (of: Of) => unknown;
  /** For people, where they read something else. */
  readonly text?: (of: Of) => Said;
};

/** By the names that they have in JSON, which are public, in that order. */
export type Facts<Of> = Readonly<Record<string, Fact<Of>>>;

/** A thing as programs read it. */
export function inJson<Of>(facts: Facts<Of>): (of: Of) => Readonly<Record<string, unknown>> {
  return (of) =>
    Object.fromEntries(Object.entries(facts).flatMap(([name, { value }]) => (value ? [[name, value(of)]] : [])));
}

/** What people read of a thing, each with its label. */
export function inWords<Of>(facts: Facts<Of>, of: Of): (readonly [label: string, said: Said])[] {
  return Object.values(facts).flatMap(({ label, value, text = value }) =>
    label === undefined ? [] : [[label, (text?.(of) ?? null) as Said] as const],
  );
}

/** The columns of a list of such things. */
export function columnsFor<Of>(facts: Facts<Of>): Column<Of>[] {
  return Object.values(facts).flatMap(({ label, kind, value, text = value }) =>
    label === undefined ? [] : [{ label, ...(kind && { kind }), value: (of) => (text?.(of) ?? null) as Cell }],
  );
}
