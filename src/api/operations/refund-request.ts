import { refundRequest } from '../../features/payments/refund-request.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { AmountIn, RequestPath, readRequestId } from '../schemas/inputs.ts';
import { RequestIdOut } from '../schemas/outputs.ts';
import { Type } from '../schemas/schema.ts';
import { TransferOutcome } from '../schemas/transfer.ts';

/** The validator sees a missing body as null. */
const Body = Type.Union([Type.Object({ amount: Type.Optional(AmountIn) }, { title: 'NewRefund' }), Type.Null()], {
  description: 'empty, or a JSON object',
  examples: [{ amount: 20 }],
});

const RefundOutcome = Type.Object(
  {
    ...TransferOutcome.properties,
    refundOf: RequestIdOut,
    amount: Type.Integer({ minimum: 1, description: 'quarters', examples: [20] }),
  },
  { title: 'RefundOutcome', description: 'The refund, which is a request of its own. It is signed and stored.' },
);

/** POST /v1/requests/{id}/refunds: the app refunds a payment in full or in part; without `amount`, the rest of it. */
export function refundRequestRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'pay');
  const route = describe(
    gate,
    {
      operationId: 'refundRequest',
      tag: 'Requests',
      summary: 'Refund a payment in full or in part',
      description:
        'For completed payments. All refunds of a payment together cannot exceed it. Without `amount`, or with 0, the rest of it is refunded. ' +
        'The player gets quarters, also for the part that a reward paid. Without an Idempotency-Key, a partial refund that is ' +
        'repeated after a lost response pays again.',
      problems: [
        'insufficient-quarters',
        'quarters-unconfirmed',
        'key-limit',
        'not-found',
        'archived',
        'not-refundable',
        'refund-too-large',
        'account-closed',
        'outcome-unknown',
        'overloaded',
        'app-backlog-full',
        'payments-suspended',
      ],
      idempotent: true,
      waits: true,
    },
    { params: RequestPath, body: Body, response: { 200: RefundOutcome } },
  );
  api.post('/requests/:id/refunds', route, async (incoming, reply) => {
    const caller = gate.caller(incoming);
    const requestId = readRequestId(incoming.params.id);
    const amount = incoming.body?.amount;
    const idempotency = readIdempotencyKey(incoming, caller);
    const refunded = await refundRequest(service, caller, { requestId, amount, idempotency });
    markReplay(reply, refunded);
    const { requestId: id, txHash, amount: given } = refunded;
    return { requestId: id, txId: txHash, refundOf: requestId, amount: Number(given) };
  });
}
