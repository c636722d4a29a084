import { toChecksum } from '../../../base/address.ts';
import { fileColumns } from '../../../base/columns.ts';
import { csvPieces } from '../../../base/csv.ts';
import { jsonPieces, type Pages } from '../../../base/pieces.ts';
import type { ExportedPosting } from './export-postings.ts';

const COLUMNS = fileColumns<ExportedPosting>({
  block: ({ block }) => block,
  'seen at (UTC)': ({ at }) => at,
  transaction: ({ txHash }) => txHash,
  'log index': ({ logIndex }) => logIndex,
  from: ({ from }) => toChecksum(from),
  to: ({ to }) => toChecksum(to),
  quarters: ({ amount }) => amount,
  kind: ({ kind }) => kind,
  'from is': ({ fromKind }) => fromKind,
  'to is': ({ toKind }) => toKind,
  'app id': ({ appId }) => appId,
  'request id': ({ requestId }) => requestId,
});

/** Pages of postings as the text of a CSV file. */
export function postingLines(pages: Pages<ExportedPosting>): AsyncGenerator<string> {
  return csvPieces(COLUMNS, pages);
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
