import { type RequestId, uuidFrom } from '../../../base/ids.ts';
import { invalidInput } from '../../../base/problems.ts';
import type { Quarters } from '../../../base/quarters.ts';
import { type Refunded, refundRequest } from '../../../features/payments/refund-request.ts';
import { idempotencyKey } from '../../../idempotency/keys.ts';
import { attributeChange } from '../../../operator-log/record.ts';
import { changeAs } from '../../../service/change-as.ts';
import { appFor, type Developer } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';

type MembersRefund = {
  readonly requestId: RequestId;
  readonly amount: Quarters;
  /** The form's, a UUID: sent twice, it refunds once. */
  readonly formId: string;
};

/**
 * Somebody of an app's team refunds a payment in the console, from the app's account. What they may do is checked again as the refund is
 * accepted.
 */
export async function refundAsMember(
  service: Service,
  developer: Developer,
  appId: string,
  { requestId, amount, formId }: MembersRefund,
): Promise<Refunded> {
  const app = await appFor(service, developer, appId, 'refund');
  const form = uuidFrom(formId);
  if (!form) throw invalidInput('/form', 'is not a UUID');
  // Each refund is an entry of the operator's log, so they are counted with the other changes.
  await changeAs(service, developer, app, 'refund', async () => {});
  const { userId, uid: session } = developer.session;
  const change = attributeChange({
    action: 'payment-refunded',
    subject: { kind: 'payment', id: requestId },
    after: { app: app.id, quarters: amount },
  });
  const payer = { appId: app.id, keyHash: null, payPerDay: null, member: { userId, session, change } };
  const idempotency = idempotencyKey(['refund in the console', app.id, requestId], form, `${amount}`);
  return refundRequest(service, payer, { requestId, amount: Number(amount), idempotency });
}
