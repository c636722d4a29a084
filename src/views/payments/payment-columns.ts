import { type FileColumn, numberColumn, textColumn } from '../../base/columns.ts';
import type { RequestSource, RequestView } from '../../requests/requests.ts';

export const KINDS: Readonly<Record<RequestSource, string>> = { user: 'Payment', payout: 'Payout', refund: 'Refund' };

/** The columns of an app's payments, in the order of their file. What the app received is above zero. */
export const PAYMENT_COLUMNS = {
  created: textColumn('created', 'Created', ({ createdAt }) => createdAt),
  completed: textColumn('completed', 'Completed', ({ completedAt }) => completedAt),
  kind: textColumn('kind', 'Kind', ({ source }) => KINDS[source].toLowerCase()),
  status: textColumn('status', 'Status', ({ status }) => status),
  quarters: numberColumn('quarters', 'Quarters', ({ source, amount }) => (source === 'user' ? amount : -amount)),
  refunded: numberColumn('refunded', 'Refunded', ({ refunded }) => refunded),
  user: textColumn('user id', 'User', ({ userId }) => userId),
  description: textColumn('description', 'Description', ({ description }) => description),
  requestId: textColumn('request id', 'Request id', ({ id }) => id),
  transaction: textColumn('transaction', 'Transaction', ({ txHash }) => txHash),
  refundOf: textColumn('refund of', 'Refund of', ({ refundOf }) => refundOf),
} satisfies Record<string, FileColumn<RequestView>>;
