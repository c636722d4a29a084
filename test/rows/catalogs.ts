/** Marks an index as one whose building was ended before it was whole. */
export const endBuildingOf = (index: string) =>
  `UPDATE pg_index SET indisvalid = false WHERE indexrelid = '${index}'::regclass`;
