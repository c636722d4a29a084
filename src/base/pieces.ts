import { setImmediate as turn } from 'node:timers/promises';

/** Few enough rows that writing them delays nobody. Two addresses with their checksums take some 50 µs. */
const ROWS = 100;

/** A list of rows as it is read: page by page. */
export type Pages<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

let last: Promise<unknown> = Promise.resolve();

/** Waits for a turn of the event loop that no other caller in this process has, so that many files at once do not add up in one. */
function ownTurn(): Promise<unknown> {
  last = last.then(() => turn());
  return last;
}

/** Writes rows in pieces of text, however long their pages are. Other work runs before each piece. */
export async function* inPieces<Row>(
  pages: Pages<Row>,
  write: (rows: readonly Row[]) => string,
): AsyncGenerator<string> {
  for await (const page of pages) {
    for (let at = 0; at < page.length; at += ROWS) {
      await ownTurn();
      yield write(page.slice(at, at + ROWS));
    }
  }
}

/** The same as the text of one JSON value, `{"name": […]}`. */
export async function* jsonPieces<Row>(
  name: string,
  pages: Pages<Row>,
  toJson: (row: Row) => object,
): AsyncGenerator<string> {
  let before = `{"${name}": [\n`;
  for await (const piece of inPieces(pages, (rows) => rows.map((row) => JSON.stringify(toJson(row))).join(',\n'))) {
    yield before + piece;
    before = ',\n';
  }
  yield before === ',\n' ? '\n]}\n' : `${before}]}\n`;
}
