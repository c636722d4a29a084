import type { RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import { lockRequests } from '../../requests/lock-requests.ts';
import type { RequestView } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { readAfterwards } from '../../service/unknown-outcome.ts';
import { withIdempotency } from '../../service/with-idempotency.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { transitionRequests } from '../../settlement/transition-requests.ts';
import { viewRequest } from '../../views/requests/read-requests.ts';

/**
 * An app cancels its request to a user, before the user has decided. Of approving, declining, expiry and cancelling exactly one happens;
 * cancelling again gives the same answer.
 */
export async function cancelRequest(
  service: Service,
  caller: AppCaller,
  id: RequestId,
  idempotency: IdempotencyKey | undefined,
): Promise<RequestView & { readonly replayed?: true }> {
  const { requestId, ...mark } = await withIdempotency(service, idempotency, (tx) => cancelIn(tx, service, caller, id));
  return { ...(await readAfterwards(viewRequest(service, requestId))), ...mark };
}

async function cancelIn(tx: Tx, service: Service, { appId }: AppCaller, id: RequestId) {
  refuseInTheDark(service);
  // Without the lock, one call could find it out of time, which is not recorded yet, while another that read a moment
  // earlier still cancels it.
  const request = (await lockRequests(tx, [id])).get(id);
  if (request?.appId !== appId) throw new Problem('not-found', 'There is no such request of yours.');
  if (request.status === 'pending') await transitionRequests(tx, [id], 'cancel', `app:${appId}`);
  else if (request.status !== 'cancelled') throw new Problem('request-decided', `The request is ${request.status}.`);
  return { requestId: id };
}
