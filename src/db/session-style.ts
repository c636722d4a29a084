/**
 * How a connection writes and reads values, and what it takes a statement to mean. A role, a database or a server may have other defaults:
 * `DateStyle` often is not ISO where German or US settings were chosen. Start-up parameters would not do, because a connection pooler may
 * drop them.
 */
export const SESSION_STYLE = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
} as const;

/** Statements for a new connection, before any other. */
export const SET_STYLE = Object.entries(SESSION_STYLE)
  .map(([name, value]) => `SET ${name} = '${value}'`)
  .join('; ');
