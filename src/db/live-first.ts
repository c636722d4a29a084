/**
 * Reads rows by ids from the live table, and only those that are not there from the archived months too: each month has indexes of its own, and
 * costs every statement that reads them up to a tenth of a millisecond. `idOf`: the id for which a row was read.
 */
export async function liveFirst<Id, Row>(
  ids: readonly Id[],
  idOf: (row: Row) => Id,
  live: (ids: readonly Id[]) => Promise<Row[]>,
  all: (ids: readonly Id[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = await live(ids);
  const found = new Set(rows.map(idOf));
  const missing = ids.filter((id) => !found.has(id));
  return missing.length === 0 ? rows : [...rows, ...(await all(missing))];
}
