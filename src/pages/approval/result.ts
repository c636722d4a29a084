import type { NotDecided, Outcome } from '../../features/approvals/outcome.ts';
import type { ResultFields } from '../../web/result-address.ts';

/** The result for a callback or a message. A declined one has no `requestId` there, because a shipped client crashes on it. */
export function resultOf(outcome: Outcome | NotDecided, proof?: string): ResultFields {
  return { ...fieldsOf(outcome), ...(proof !== undefined && { proof }) };
}

/** The result for a redirect, which always names its request. */
export function redirectResultOf(outcome: Outcome | NotDecided, proof?: string): ResultFields {
  const { requestId } = outcome;
  return { ...fieldsOf(outcome), requestId, ...(proof !== undefined && { proof }) };
}

function fieldsOf(outcome: Outcome | NotDecided): ResultFields {
  switch (outcome.kind) {
    case 'approved':
      return { txId: outcome.txHash, requestId: outcome.requestId };
    case 'declined':
      return { cancel: true };
    case 'failed':
    case 'not-enough':
      return { requestId: outcome.requestId, error: outcome.error };
  }
}
