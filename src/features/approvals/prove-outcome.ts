import type { TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import type { Outcome } from './outcome.ts';

/** Signs how a request was decided, for the app that made it. A new proof is made for each call. */
export function proveOutcome(
  { results }: Pick<Service, 'results'>,
  { appId }: Pick<TransferRequest, 'appId'>,
  outcome: Outcome,
): Promise<string> {
  const { kind, requestId } = outcome;
  return results.sign(appId, { outcome: kind, requestId, ...(kind === 'approved' && { txId: outcome.txHash }) });
}
