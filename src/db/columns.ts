/** The SQL of a stored hash as text. */
export const hashColumn = (column: string): string => `'0x' || encode(${column}, 'hex')`;

/** The SQL of the time that an id begins with, version 7 or 8 (RFC 9562). `id`: the SQL of a UUID. */
export const timeOfId = (id: string): string =>
  `to_timestamp(('x' || lpad(replace(left(${id}::text, 13), '-', ''), 16, '0'))::bit(64)::bigint / 1000.0)`;

/**
 * The SQL of an account's address now, in a query of rows of accounts. A swept one is an address that its account has left, and its quarters
 * go to where it is now.
 */
export const addressNow = (row: string): string =>
  `CASE WHEN ${row}.kind = 'swept' THEN ${row}.merged_into ELSE ${row}.address END`;
