import { toChecksum } from '../../base/address.ts';
import type { Column } from '../../base/columns.ts';
import type { TransactionAttempt } from '../../settlement/tables/transaction-attempts.ts';
import type { Transfer } from '../../settlement/tables/transfers.ts';

export const LISTED_TRANSFER_COLUMNS = {
  transfer: { label: 'Transfer', value: ({ id }) => id },
  status: { label: 'Status', value: ({ status }) => status },
  quarters: { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  from: { label: 'From', value: ({ from }) => toChecksum(from) },
  to: { label: 'To', value: ({ to }) => toChecksum(to) },
  accepted: { label: 'Accepted', value: ({ createdAt }) => createdAt },
} satisfies Record<string, Column<Transfer>>;

export const ATTEMPT_COLUMNS = {
  transaction: { label: 'Transaction', value: ({ hash }) => hash },
  nonce: { label: 'Nonce', kind: 'number', value: ({ nonce }) => nonce },
  signed: { label: 'Signed', value: ({ createdAt }) => createdAt },
  state: { label: 'State', value: ({ status }) => status },
} satisfies Record<string, Column<TransactionAttempt>>;
