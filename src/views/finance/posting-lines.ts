import { toChecksum } from '../../base/address.ts';
import { type Cell, csvPieces } from '../../base/csv.ts';
import { jsonPieces, type Pages } from '../../base/pieces.ts';
import type { ExportedPosting } from './export-postings.ts';

const COLUMNS = [
  ...['block', 'seen at (UTC)', 'transaction', 'log index', 'from', 'to', 'quarters', 'kind', 'from is', 'to is'],
  ...['app id', 'request id'],
];

/** Pages of postings as the text of a CSV file. */
export function postingLines(pages: Pages<ExportedPosting>): AsyncGenerator<string> {
  return csvPieces(COLUMNS, pages, cellsOf);
}

function cellsOf({ block, logIndex, txHash, from, to, amount, at, kind, ...posting }: ExportedPosting): Cell[] {
  return [
    ...[block, at, txHash, logIndex, toChecksum(from), toChecksum(to), amount, kind],
    ...[posting.fromKind, posting.toKind, posting.appId, posting.requestId],
  ];
}

/** The same as the text of one JSON value, `{"postings": […]}`. */
export function postingJsonLines(pages: Pages<ExportedPosting>): AsyncGenerator<string> {
  return jsonPieces('postings', pages, jsonOf);
}

function jsonOf({ block, logIndex, txHash, from, to, amount, at, kind, ...posting }: ExportedPosting) {
  return {
    ...{ block: Number(block), seenAt: at, txId: txHash, logIndex, from: toChecksum(from), to: toChecksum(to) },
    ...{ quarters: Number(amount), kind, fromKind: posting.fromKind, toKind: posting.toKind },
    ...{ appId: posting.appId, requestId: posting.requestId },
  };
}
