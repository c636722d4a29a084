import type { RequestId } from '../../base/ids.ts';
import { madePayments } from '../../requests/recovered-requests.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import { endOfRefundId, markOfRefunded } from '../../service/keyed-ids.ts';
import type { Service } from '../../service/service.ts';
import type { PaymentParties } from './parties.ts';

/** The payments that these refunds refund, as far as they are known: of an app and a user, the id of a refund says which of them it is. */
export async function paymentsOfRefunds(
  service: Service,
  refunds: readonly { readonly id: RequestId }[],
  parties: ReadonlyMap<RequestId, PaymentParties>,
): Promise<ReadonlyMap<RequestId, TransferRequest>> {
  const payments = await madePayments(service.db, [...parties.values()]);
  const byMark = new Map(
    payments.map((payment) => [keyOf(payment, markOfRefunded(service, payment.id)), payment] as const),
  );
  return new Map(
    refunds.flatMap(({ id }) => {
      const between = parties.get(id);
      const payment = between && byMark.get(keyOf(between, endOfRefundId(id)));
      return payment ? [[id, payment] as const] : [];
    }),
  );
}

type Pair = Pick<TransferRequest, 'appId' | 'userId'>;
const keyOf = ({ appId, userId }: Pair, mark: Buffer) => `${appId} ${userId} ${mark.toString('hex')}`;
