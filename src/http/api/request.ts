import { Type } from 'typebox';
import { REQUEST_STATUSES, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../usecases/service.ts';
import { readRequest } from '../../usecases/user/read-request.ts';
import { usersAndApps } from '../caller.ts';
import { describe } from './describe.ts';
import { RequestPath, readRequestId } from './inputs.ts';
import { TransactionHashOut } from './outputs.ts';
import { TransferRequestOut, transferRequest } from './request-shape.ts';
import type { Api } from './route.ts';
import { Timestamp, timestamp } from './timestamp.ts';

/** The request, and how far it is: `txId` null before it is approved, `completed` null before it is completed. */
const RequestState = Type.Object(
  {
    ...TransferRequestOut.properties,
    status: Type.Unsafe<RequestStatus>({ type: 'string', enum: REQUEST_STATUSES, examples: ['completed'] }),
    txId: Type.Union([TransactionHashOut, Type.Null()]),
    completed: Type.Union([Timestamp, Type.Null()]),
  },
  { title: 'RequestState', description: 'A request, and how far it is.' },
);

/** GET /v1/requests/{id}: for the user it concerns and the server of the app that made it. */
export function request(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests');
  const route = describe(
    gate,
    {
      operationId: 'getRequest',
      tag: 'Requests',
      summary: 'A request, and how far it is',
      description: "For the player it concerns and the app that made it: how a game's server verifies a payment.",
      problems: ['not-found'],
    },
    { params: RequestPath, response: { 200: RequestState } },
  );
  api.get('/requests/:id', route, async (incoming) => {
    const view = await readRequest(service, gate.caller(incoming), readRequestId(incoming.params.id));
    return {
      ...transferRequest(view),
      status: view.status,
      txId: view.txHash,
      completed: view.completedAt && timestamp(view.completedAt),
    };
  });
}
