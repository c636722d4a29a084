import type { Address } from '../../base/address.ts';
import { newRequestId, newTransferId, type RequestId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import type { Order } from '../../settlement/accept/instruction.ts';
import type { Service } from '../../settlement/service.ts';
import type { Recipient } from './recipients.ts';

type Payout = {
  /** The app's own account. */
  readonly from: Address;
  readonly to: Recipient;
  readonly amount: Quarters;
  readonly description?: string;
  /** The payment that this refunds. */
  readonly refundOf?: RequestId;
  readonly idempotency?: IdempotencyKey | undefined;
};

/** The instruction by which an app pays a user, with its own request. */
export function payoutOrder({ settings }: Pick<Service, 'settings'>, caller: AppCaller, payout: Payout): Order {
  const { from, amount, description = '', refundOf, idempotency } = payout;
  const { address: to, userId } = payout.to;
  const { appId, keyHash, payPerDay } = caller;
  const source = refundOf ? 'refund' : 'payout';
  const ttlSeconds = settings.requestTtlSeconds;
  return {
    transferId: newTransferId(),
    from,
    to,
    amount,
    idempotency,
    origin: {
      kind: 'payout',
      keyHash,
      isCapped: payPerDay !== null,
      request: {
        ...{ id: newRequestId(), appId, userId, source, from, to, amount, description, ttlSeconds },
        ...(refundOf && { refundOf }),
      },
    },
  };
}
