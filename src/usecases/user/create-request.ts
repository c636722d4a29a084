import { newRequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { UserCaller } from '../../identity/callers.ts';
import { findAccountOfApp, findAccountOfUser } from '../../ledger/accounts.ts';
import { insertRequests } from '../../requests/requests.ts';
import { allowedAmount } from '../amount.ts';
import type { RequestView } from '../request-view.ts';
import type { Service } from '../service.ts';

/** `tokens`: quarters, a whole number from 1. `appId`: must be the app the access token was issued to. */
export type RequestInput = { readonly tokens: number; readonly appId: string; readonly description?: string };

/** An app asks the user for quarters: a pending request. Throws `app-mismatch`, `amount-too-large`. */
export async function createRequest(service: Service, caller: UserCaller, input: RequestInput): Promise<RequestView> {
  if (input.appId !== caller.appId) {
    throw new Problem('app-mismatch', 'The access token was issued to another app than appId names.');
  }
  const amount = allowedAmount(service, input.tokens);
  const [payer, app] = await Promise.all([
    findAccountOfUser(service.db, caller.userId),
    findAccountOfApp(service.db, caller.appId),
  ]);
  if (!payer || payer.closedAt || !app) throw new Problem('not-found', 'The user or the app has no account.');
  const [request] = await insertRequests(
    service.db,
    [
      {
        id: newRequestId(),
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
  return { ...request!, appAddress: app.address, txHash: null, completedAt: null };
}
