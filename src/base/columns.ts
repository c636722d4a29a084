/** A value: text, a number, a time, or nothing for null. */
export type Cell = string | bigint | number | Date | null;

/** A column of a list, wherever the list is shown: on a page, in a file, in a terminal. Each writes the value in its own way. */
export type Column<Row> = {
  /** Heads it in a file. Programs read it, so it stays as it is. */
  readonly name?: string;
  /** Heads it on a page, and in capitals in a terminal. */
  readonly label: string;
  /** A number stands on the right, and a `signed` one has its sign. All else is written by its type. */
  readonly kind?: 'number' | 'signed';
  readonly value: (row: Row) => Cell;
};

/** What a file needs of a column. */
export type FileColumn<Row> = { readonly name: string; readonly value: (row: Row) => Cell | boolean };

/** A column of numbers, for a list of columns that says what its rows are. */
export function numberColumn<Row>(name: string, label: string, value: (row: Row) => bigint | number | null) {
  return { name, label, kind: 'number', value } as const;
}

/** A column of text or times. */
export function textColumn<Row>(name: string, label: string, value: (row: Row) => Cell) {
  return { name, label, value };
}

/** Columns that files alone have, by their names. */
export function fileColumns<Row>(values: Readonly<Record<string, FileColumn<Row>['value']>>): FileColumn<Row>[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
