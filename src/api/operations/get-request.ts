import type { Service } from '../../service/service.ts';
import { readRequest } from '../../views/requests/read-requests.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { RequestPath, readRequestId } from '../schemas/inputs.ts';
import { RequestState, requestState } from '../schemas/request.ts';

/** GET /v1/requests/{id}: for the user who pays, and for the server of the app that made it. */
export function getRequestRoute(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests');
  const route = describe(
    gate,
    {
      operationId: 'getRequest',
      tag: 'Requests',
      summary: 'Get a request and its status',
      description:
        "For the player who pays and for the app that made the request. A game's server verifies a payment with it.",
      problems: ['not-found', 'archived'],
    },
    { params: RequestPath, response: { 200: RequestState } },
  );
  api.get('/requests/:id', route, async (incoming) => {
    const id = readRequestId(incoming.params.id);
    return requestState(await readRequest(service, gate.caller(incoming), id));
  });
}
