import { type Cell, csvPieces } from '../../../base/csv.ts';
import type { AppId } from '../../../base/ids.ts';
import type { RequestView } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { allPayments, type PaymentFilter } from '../../../views/payments/search-payments.ts';
import { KINDS } from '../../consoles/payment-words.ts';
import { MOST_EXPORTED } from '../../consoles/payments-list.ts';

const COLUMNS = [
  ...['created', 'completed', 'kind', 'status', 'quarters', 'refunded', 'user id', 'description', 'request id'],
  ...['transaction', 'refund of'],
];

/** The lines of a CSV file with an app's requests, newest first. Reads the next ones after the last were sent. */
export function paymentLines(service: Service, appId: AppId, filter: PaymentFilter): AsyncGenerator<string> {
  return csvPieces(COLUMNS, allPayments(service, appId, filter, MOST_EXPORTED), cellsOf);
}

function cellsOf(request: RequestView): Cell[] {
  const { id, source, status, amount, refunded, userId, description, createdAt, completedAt, txHash, refundOf } =
    request;
  const quarters = source === 'user' ? amount : -amount;
  const kind = KINDS[source].toLowerCase();
  return [createdAt, completedAt, kind, status, quarters, refunded, userId, description, id, txHash, refundOf];
}
