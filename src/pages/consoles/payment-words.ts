import { en } from '../../../words/en.ts';
import type { RequestSource, TransferRequest } from '../../requests/requests.ts';
import type { RequestStatus } from '../../requests/states.ts';
import type { Transition } from '../../requests/transitions.ts';
import { KINDS } from '../../views/payments/payment-columns.ts';
import type { Markup } from '../../web/layout.ts';
import { badge } from './console.ts';

const LOOKS = {
  ...{ pending: 'wait', approved: 'wait', submitted: 'wait', completed: 'good', failed: 'bad' },
  ...{ declined: 'plain', expired: 'plain', cancelled: 'plain' },
} as const satisfies Record<RequestStatus, Parameters<typeof badge>[1]>;

export function paymentBadge(status: RequestStatus): Markup {
  return badge(status, LOOKS[status]);
}

/** With `+` if the app receives it, and `−` if it pays. */
export function signedAmount({ source, amount }: Pick<TransferRequest, 'source' | 'amount'>): string {
  return en.signed(source === 'user' ? amount : -amount);
}

/** The app that made a payment, as its reader calls it. */
export type AppInWords = 'your app' | 'the app';

/** What a step means, with who caused it. */
export function transitionSentence({ event, actor }: Transition, source: RequestSource, app: AppInWords): string {
  const who: Readonly<Record<string, string>> = { user: 'the player', app, operator: 'the operator' };
  const name = who[actor.split(':')[0]!];
  const by = name && `by ${name}`;
  switch (event) {
    case 'create':
      return source === 'user' ? 'Requested' : `${KINDS[source]} made by ${app}`;
    case 'approve':
      return actor.startsWith('app:') ? `Approved by ${app}, within the player’s spending limit` : `Approved ${by}`;
    case 'decline':
      return `Declined ${by ?? ''}`.trim();
    case 'cancel':
      return `Cancelled ${by ?? ''}`.trim();
    case 'expire':
      return 'Expired without an answer';
    case 'submit':
      return 'Sent to the chain';
    case 'complete':
      return 'Completed on the chain';
    case 'recover':
      return 'Found as paid on the chain, after the database was restored';
    case 'reorg':
      return 'Undone by a reorganisation of the chain, and sent again';
    case 'fail':
      return 'Failed: cancelled on the chain';
  }
}

/** Why nothing moved, or why it takes time. Null: there is nothing to explain. */
export function explanation(status: RequestStatus, wasMinedInVain: boolean): string | null {
  switch (status) {
    case 'pending':
      return 'The player has not answered yet.';
    case 'declined':
      return 'The player declined. Nothing moved.';
    case 'expired':
      return 'The player did not answer in time. Nothing moved. Ask again if they still want to pay.';
    case 'cancelled':
      return 'It was cancelled before the player answered. Nothing moved.';
    case 'failed':
      return 'The operator cancelled it on the chain. Nothing moved, and what was held for it can be spent again.';
    case 'approved':
    case 'submitted':
      return wasMinedInVain
        ? 'A transaction was mined without effect. The same payment is sent again in another one; it is paid once.'
        : 'It is on its way. You can rely on it once it is completed.';
    default:
      return null;
  }
}
