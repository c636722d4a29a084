type Found = { readonly id: string; readonly status: string };

/**
 * The rows of a list for games, of which those that are only approved are read again with `findConfirmed`: games give goods for them, so no
 * failover may take them back. Those that it does not find were taken back, and are left out. So are those in none of `statuses` any more.
 */
export async function confirmApproved<Row extends Found>(
  rows: readonly Row[],
  statuses: readonly Row['status'][] | null,
  findConfirmed: (ids: readonly Row['id'][]) => Promise<Row[]>,
): Promise<Row[]> {
  const approved = rows.filter(({ status }) => status === 'approved').map(({ id }) => id);
  if (approved.length === 0) return [...rows];
  const confirmed = new Map((await findConfirmed(approved)).map((row) => [row.id, row]));
  return rows
    .flatMap((row) => (row.status === 'approved' ? (confirmed.get(row.id) ?? []) : row))
    .filter(({ status }) => statuses?.includes(status) ?? true);
}
