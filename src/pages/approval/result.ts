import type { Outcome } from '../../usecases/guest/outcome.ts';
import type { ResultFields } from '../../web/result-address.ts';

/** What a game is told of a payment. A declined one comes without `requestId`: a shipped client crashes on it. */
export function resultOf(outcome: Outcome): ResultFields {
  switch (outcome.kind) {
    case 'approved':
      return { txId: outcome.txHash, requestId: outcome.requestId };
    case 'declined':
      return { cancel: true };
    case 'failed':
      return { requestId: outcome.requestId, error: outcome.error };
  }
}
