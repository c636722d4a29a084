import { newRequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Tx } from '../../db/database.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { findAccountOfApp, findAccountOfUser } from '../../ledger/accounts.ts';
import { insertRequests } from '../../requests/requests.ts';
import { allowedAmount } from '../amount.ts';
import { type RequestView, viewRequest } from '../request-view.ts';
import type { Service } from '../service.ts';
import { readAfterwards } from '../system/database-problem.ts';
import { once } from '../system/once.ts';

/** `tokens`: quarters, a whole number from 1. `appId`: must be the app the access token was issued to. */
export type RequestInput = {
  readonly tokens: number;
  readonly appId: string;
  readonly description?: string;
  readonly idempotency?: IdempotencyKey | undefined;
};

/** An app asks the user for quarters: a pending request. Throws `app-mismatch`, `amount-too-large`, `idempotency-mismatch`. */
export async function createRequest(
  service: Service,
  caller: UserCaller,
  input: RequestInput,
): Promise<RequestView & { readonly replayed?: true }> {
  const { requestId, ...mark } = await once(service, input.idempotency, (tx) => insert(tx, service, caller, input));
  return { ...(await readAfterwards(viewRequest(service, requestId))), ...mark };
}

async function insert(tx: Tx, service: Service, caller: UserCaller, input: RequestInput) {
  if (input.appId !== caller.appId) {
    throw new Problem('app-mismatch', 'The access token was issued to another app than appId names.');
  }
  const amount = allowedAmount(service, input.tokens);
  const payer = await findAccountOfUser(tx, caller.userId);
  const app = await findAccountOfApp(tx, caller.appId);
  if (!payer || payer.closedAt || !app) throw new Problem('not-found', 'The user or the app has no account.');
  const requestId = newRequestId();
  await insertRequests(
    tx,
    [
      {
        id: requestId,
        appId: caller.appId,
        userId: caller.userId,
        source: 'user',
        from: payer.address,
        to: app.address,
        amount,
        description: input.description ?? '',
        ttlSeconds: service.settings.requestTtlSeconds,
      },
    ],
    'pending',
  );
  return { requestId };
}
