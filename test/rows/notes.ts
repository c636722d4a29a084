import { insertRows, type Queries } from './statements.ts';

/** Makes a table that the service does not know. */
export async function makeNotes({ query }: Queries): Promise<void> {
  await query('CREATE TABLE notes (id bigint PRIMARY KEY)');
}

export function insertNotes(queries: Queries, ...ids: readonly number[]): Promise<void> {
  return insertRows(
    queries,
    'notes',
    ids.map((id) => ({ id })),
  );
}
