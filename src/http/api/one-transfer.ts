import { Type } from 'typebox';
import type { Service } from '../../usecases/service.ts';
import { readTransfer } from '../../usecases/user/read-transfer.ts';
import { usersAndApps } from '../caller.ts';
import { describe } from './describe.ts';
import { EXAMPLES } from './examples.ts';
import { readTransferId } from './inputs.ts';
import type { Api } from './route.ts';
import { TransferOut, transferState } from './transfer-shape.ts';

const TransferPath = Type.Object({
  id: Type.String({ description: "a transfer's id, a UUID", examples: [EXAMPLES.transferId] }),
});

/** GET /v1/transfers/{id}: for the user of its request, and for the server of the request's app. */
export function oneTransfer(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests');
  const route = describe(
    gate,
    { operationId: 'getTransfer', tag: 'Transfers', summary: 'Get a transfer', problems: ['not-found'] },
    { params: TransferPath, response: { 200: TransferOut } },
  );
  api.get('/transfers/:id', route, async (request) =>
    transferState(await readTransfer(service, gate.caller(request), readTransferId(request.params.id))),
  );
}
