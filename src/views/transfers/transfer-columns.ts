import { toChecksum } from '../../base/address.ts';
import { type Facts, inJson } from '../../base/facts.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import type { TransactionAttempt } from '../../settlement/tables/transaction-attempts.ts';
import type { Transfer } from '../../settlement/tables/transfers.ts';
import type { TransferReport } from './read-transfers.ts';

export const TRANSFER_FACTS = {
  id: { label: 'Transfer', value: ({ id }) => id },
  status: { label: 'Status', value: ({ status }) => status },
  from: { label: 'From', value: ({ from }) => toChecksum(from) },
  to: { label: 'To', value: ({ to }) => toChecksum(to) },
  quarters: { label: 'Quarters', kind: 'number', value: ({ amount }) => amount },
  txId: { value: ({ txHash }) => txHash },
  decidedBlock: { value: ({ decidedBlock }) => decidedBlock },
  createdAt: { label: 'Accepted', value: ({ createdAt }) => createdAt },
  requestId: { value: ({ requestId }) => requestId },
} satisfies Facts<Transfer>;

export const ATTEMPT_FACTS = {
  hash: { label: 'Transaction', value: ({ hash }) => hash },
  status: { label: 'State', value: ({ status }) => status },
  relayer: { value: ({ relayer }) => toChecksum(relayer) },
  nonce: { label: 'Nonce', kind: 'number', value: ({ nonce }) => nonce, text: ({ nonce }) => `${nonce}` },
  attempt: { label: 'Attempt', kind: 'number', value: ({ attempt }) => attempt },
  minedBlock: {
    label: 'Block',
    kind: 'number',
    value: ({ minedBlock }) => minedBlock,
    text: ({ minedBlock }) => minedBlock && `${minedBlock}`,
  },
  createdAt: { label: 'Signed', value: ({ createdAt }) => createdAt },
} satisfies Facts<TransactionAttempt>;

const { requestId: _, ...ALONE } = TRANSFER_FACTS;

/** A transfer with its request and what carried it. */
export const REPORTED_TRANSFER_FACTS: Facts<Transfer & Omit<TransferReport, 'transfer'>> = {
  ...ALONE,
  status: {
    label: 'Status',
    value: ({ status }) => status,
    text: ({ status, decidedBlock }) => status + (decidedBlock === null ? '' : ` in block ${decidedBlock}`),
  },
  quarters: { label: 'Amount', value: ({ amount }) => amount },
  request: {
    label: 'Request',
    value: ({ request }) => request && requestJson(request),
    text: ({ request }) => (request ? `${request.id} (${request.status})` : 'none'),
  },
  app: { label: 'App', text: ({ request }) => request?.appId ?? null },
  user: { label: 'User', text: ({ request }) => request?.userId ?? null },
  description: { label: 'Description', text: ({ request }) => request?.description || null },
  transactions: { value: ({ attempts }) => attempts.map(inJson(ATTEMPT_FACTS)) },
};

function requestJson({ id, status, appId, userId, description, createdAt }: TransferRequest) {
  return { id, status, appId, userId, description, createdAt };
}
