/** Rows that wait to be written, at most `most`: equal ones are one, to which `join` adds. A further row is left out. */
export function countedRows<Row extends object>(most: number, join: (known: Row, added: Readonly<Row>) => void) {
  let rows = new Map<string, Row>();
  return {
    has: (key: string) => rows.has(key),
    add(key: string, row: Readonly<Row>): void {
      const known = rows.get(key);
      if (known) join(known, row);
      else if (rows.size < most) rows.set(key, { ...row });
    },
    get size() {
      return rows.size;
    },
    /** Takes all that waits. */
    take(): Row[] {
      const taken = [...rows.values()];
      rows = new Map();
      return taken;
    },
  };
}
