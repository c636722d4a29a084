/** The SQL of a stored hash as text. */
export const hashColumn = (column: string): string => `'0x' || encode(${column}, 'hex')`;

/**
 * The SQL of a row's place in a list that goes by `(created_at, id)`, by the row's id. An id of which there is no row has the place of the time
 * that it begins with, so the lowest and the highest id of a time can stand for it.
 */
export const placeOf = (table: 'requests' | 'transfers', id: string): string =>
  `(coalesce((SELECT placed.created_at FROM ${table} AS placed WHERE placed.id = ${id}),
             to_timestamp(('x' || lpad(replace(left(${id}::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0)), ${id}::uuid)`;

/**
 * The SQL of an account's address now, in a query of rows of accounts. A swept one is an address that its account has left, and its quarters
 * go to where it is now.
 */
export const addressNow = (row: string): string =>
  `CASE WHEN ${row}.kind = 'swept' THEN ${row}.merged_into ELSE ${row}.address END`;
