import { Type } from 'typebox';
import type { Service } from '../../usecases/service.ts';
import { autoApprove } from '../../usecases/user/auto-approve.ts';
import { usersOnly } from '../caller.ts';
import { markReplay, readIdempotencyKey } from '../idempotency.ts';
import { AddressIn, AppIdIn, BODY, readAddress, readRequestId, UserIdIn } from './inputs.ts';
import type { Api } from './route.ts';
import { TransferOutcome, transferOutcome } from './transfer-outcome.ts';

const Body = Type.Object({ clientId: AppIdIn, userId: UserIdIn, address: AddressIn }, BODY);

/** POST /v1/requests/{id}/autoApprove: approves under the user's standing approval. Repeating it gives the same outcome. */
export function autoApproveRequest(api: Api, service: Service): void {
  const gate = usersOnly(service, 'requests');
  const schema = { params: Type.Object({ id: Type.String() }), body: Body, response: { 200: TransferOutcome } };
  api.post('/requests/:id/autoApprove', { onRequest: gate.onRequest, schema }, async (request, reply) => {
    const { clientId, userId, address } = request.body;
    const caller = gate.caller(request);
    const decided = await autoApprove(service, caller, {
      idempotency: readIdempotencyKey(request, caller),
      requestId: readRequestId(request.params.id),
      clientId,
      userId,
      address: readAddress(address, '/address'),
    });
    markReplay(reply, decided);
    return transferOutcome(decided);
  });
}
