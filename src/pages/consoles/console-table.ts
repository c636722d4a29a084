import { html } from 'hono/html';
import { en } from '../../../words/en.ts';
import type { Cell, Column } from '../../base/columns.ts';
import type { Markup } from '../../web/layout.ts';
import { consoleTime } from './console.ts';

/** A {@link Column} on a page, whose value may be markup. Without a label, it is one that says nothing to screen readers. */
export type ShownColumn<Row> = Pick<Column<Row>, 'label' | 'kind'> & {
  readonly value: (row: Row) => Cell | Markup;
  /** Further classes of its cells. */
  readonly look?: string;
  /** A link around the label, which sorts by this column. */
  readonly sort?: { readonly href: string; readonly isCurrent: boolean };
  /** In the table of a chart: what is drawn, null for a gap; or `note` for a column that is not. */
  readonly drawn?: ((row: Row) => bigint | number | null) | 'note';
};

/** Rows that belong together. */
export type RowGroup<Row> = { readonly title?: string; readonly rows: readonly Row[] };

type TableOptions<Row> = {
  /**
   * The classes of the table. One with `amounts` is a table on phones too, since people compare what stands below each other, and its first
   * column names the row. In all others a row becomes a block there, each cell with its label.
   */
  readonly kind?: string;
  /** The column that names the row, where it is not that. */
  readonly heading?: number;
  /** A row of sums. What has none is empty. */
  readonly isTotal?: (row: Row) => boolean;
};

/** A table of a console. If it is wider than its place, it scrolls in it, by keyboard too. `caption`: what it holds, for screen readers. */
export function dataTable<Row>(
  caption: string,
  columns: readonly ShownColumn<Row>[],
  rows: readonly Row[],
  options: TableOptions<Row> = {},
): Markup {
  return groupedTable(caption, columns, [{ rows }], options);
}

/** The same, with a heading above each group of rows. */
export function groupedTable<Row>(
  caption: string,
  columns: readonly ShownColumn<Row>[],
  groups: readonly RowGroup<Row>[],
  { kind = '', heading, isTotal }: TableOptions<Row>,
): Markup {
  const isAmounts = kind.split(' ').includes('amounts');
  const naming = heading ?? (isAmounts ? 0 : -1);
  const row = (each: Row) => {
    const total = isTotal?.(each) ?? false;
    const cells = columns.map((column, i) => cellOf(column, each, { isHeading: i === naming, total, isAmounts }));
    return html`<tr${total && html` class="total"`}>${cells}</tr>`;
  };
  const body = ({ title, rows }: RowGroup<Row>) =>
    html`<tbody>${title && html`<tr class="group"><th scope="rowgroup" colspan="${columns.length}">${title}</th></tr>`}${rows.map(row)}</tbody>`;
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table class="data${kind && ` ${kind}`}">
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(headOf)}</tr></thead>
${groups.map(body)}
</table></div>`;
}

function headOf<Row>(column: ShownColumn<Row>): Markup {
  const { label, sort, drawn } = column;
  if (label === '') return html`<td${classOf(column)}></td>`;
  const sorted = sort?.isCurrent && html` aria-sort="descending"`;
  const name = sort ? html`<a href="${sort.href}">${label}</a>` : label;
  return html`<th scope="col"${column.kind && html` class="number"`}${sorted}${drawn === 'note' && html` data-note`}>${name}</th>`;
}

type CellPlace = { readonly isHeading: boolean; readonly total: boolean; readonly isAmounts: boolean };

function cellOf<Row>(column: ShownColumn<Row>, row: Row, { isHeading, total, isAmounts }: CellPlace): Markup {
  const { label, kind, drawn } = column;
  const value = column.value(row);
  if (total && value === null) return html`<td${classOf(column)}></td>`;
  const text = written(value, kind);
  if (isHeading) return html`<th scope="row">${text}</th>`;
  const point = typeof drawn === 'function' ? drawn(row) : null;
  const about = html`${label && html` data-label="${label}"`}${point !== null && html` data-value="${point}"`}`;
  // On a phone, a label stands beside one thing: all that is in the cell.
  const isOne = isAmounts || typeof text === 'string';
  return html`<td${classOf(column)}${about}>${isOne ? text : html`<div>${text}</div>`}</td>`;
}

function classOf({ kind, look }: Pick<ShownColumn<never>, 'kind' | 'look'>): Markup | '' {
  const names = [kind && 'number', look].filter(Boolean).join(' ');
  return names && html` class="${names}"`;
}

function written(value: Cell | Markup, kind: Column<never>['kind']): Markup | string {
  if (value === null) return '–';
  if (value instanceof Date) return consoleTime(value);
  if (typeof value !== 'number' && typeof value !== 'bigint') return value;
  return kind === 'signed' ? en.signed(BigInt(value)) : en.number(BigInt(value));
}
