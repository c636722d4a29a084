import { toChecksum } from '../../base/address.ts';
import { type Cell, csvLine } from '../../base/csv.ts';
import type { ExportedPosting } from './export-postings.ts';

const COLUMNS = [
  ...['block', 'seen at (UTC)', 'transaction', 'log index', 'from', 'to', 'quarters', 'kind', 'from is', 'to is'],
  ...['app id', 'request id'],
];

/** Pages of postings as the text of a CSV file. `onPage`: gets the number of postings of each page. */
export async function* postingLines(
  pages: AsyncIterable<readonly ExportedPosting[]>,
  onPage: (count: number) => void = () => {},
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const postings of pages) {
    yield postings.map((posting) => csvLine(cellsOf(posting))).join('');
    onPage(postings.length);
  }
}

function cellsOf({ block, logIndex, txHash, from, to, amount, at, kind, ...posting }: ExportedPosting): Cell[] {
  return [
    ...[block, at, txHash, logIndex, toChecksum(from), toChecksum(to), amount, kind],
    ...[posting.fromKind, posting.toKind, posting.appId, posting.requestId],
  ];
}

/** The same as the text of one JSON value, `{"postings": […]}`. */
export async function* postingJsonLines(
  pages: AsyncIterable<readonly ExportedPosting[]>,
  onPage: (count: number) => void = () => {},
): AsyncGenerator<string> {
  let before = '{"postings": [\n';
  for await (const postings of pages) {
    yield before + postings.map((posting) => JSON.stringify(jsonOf(posting))).join(',\n');
    before = ',\n';
    onPage(postings.length);
  }
  yield before === ',\n' ? '\n]}\n' : `${before}]}\n`;
}

function jsonOf({ block, logIndex, txHash, from, to, amount, at, kind, ...posting }: ExportedPosting) {
  return {
    ...{ block: Number(block), seenAt: at, txId: txHash, logIndex, from: toChecksum(from), to: toChecksum(to) },
    ...{ quarters: Number(amount), kind, fromKind: posting.fromKind, toKind: posting.toKind },
    ...{ appId: posting.appId, requestId: posting.requestId },
  };
}
