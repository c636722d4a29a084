import { cancelRequest } from '../../features/requests/cancel-request.ts';
import type { Service } from '../../service/service.ts';
import { appsOnly } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { markReplay, readIdempotencyKey } from '../request-headers.ts';
import { EmptyBody, RequestPath, readRequestId } from '../schemas/inputs.ts';
import { RequestState, requestState } from '../schemas/request.ts';

/** POST /v1/requests/{id}/cancel: the app cancels a pending request. A repeated call gives the same response. */
export function cancelRequestRoute(api: Api, service: Service): void {
  const gate = appsOnly(service, 'pay');
  const route = describe(
    gate,
    {
      operationId: 'cancelRequest',
      tag: 'Requests',
      summary: 'Cancel a pending request',
      description: 'Cancelling it again gives the same response. An approved or declined request cannot be cancelled.',
      problems: ['not-found', 'request-decided'],
      idempotent: true,
    },
    { params: RequestPath, body: EmptyBody, response: { 200: RequestState } },
  );
  api.post('/requests/:id/cancel', route, async (request, reply) => {
    const caller = gate.caller(request);
    const id = readRequestId(request.params.id);
    const view = await cancelRequest(service, caller, id, readIdempotencyKey(request, caller));
    markReplay(reply, view);
    return requestState(view);
  });
}
