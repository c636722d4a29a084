import { Type } from 'typebox';
import type { Service } from '../../usecases/service.ts';
import { readRequest } from '../../usecases/user/read-request.ts';
import { usersAndApps } from '../caller.ts';
import { readRequestId } from './inputs.ts';
import { TransferRequestOut, transferRequest } from './request-shape.ts';
import type { Api } from './route.ts';
import { Timestamp, timestamp } from './timestamp.ts';

/** The request, and how far it is: `txId` null before it is approved, `completed` null before it is completed. */
const RequestState = Type.Object({
  ...TransferRequestOut.properties,
  status: Type.String(),
  txId: Type.Union([Type.String(), Type.Null()]),
  completed: Type.Union([Timestamp, Type.Null()]),
});

/** GET /v1/requests/{id}: for the user it concerns and the server of the app that made it. */
export function request(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests');
  const schema = { params: Type.Object({ id: Type.String() }), response: { 200: RequestState } };
  api.get('/requests/:id', { onRequest: gate.onRequest, schema }, async (incoming) => {
    const view = await readRequest(service, gate.caller(incoming), readRequestId(incoming.params.id));
    return {
      ...transferRequest(view),
      status: view.status,
      txId: view.txHash,
      completed: view.completedAt && timestamp(view.completedAt),
    };
  });
}
