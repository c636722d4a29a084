import { EXAMPLES } from '../../base/example-values.ts';
import type { Service } from '../../service/service.ts';
import { readTransfer } from '../../views/transfers/read-transfers.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import { readTransferId } from '../schemas/inputs.ts';
import { Type } from '../schemas/schema.ts';
import { TransferOut, transferState } from '../schemas/transfer.ts';

const TransferPath = Type.Object({
  id: Type.String({ description: "a transfer's id, a UUID", examples: [EXAMPLES.transferId] }),
});

/** GET /v1/transfers/{id}: for the user of its request, and for the server of the request's app. */
export function getTransferRoute(api: Api, service: Service): void {
  const gate = usersAndApps(service, 'requests');
  const route = describe(
    gate,
    { operationId: 'getTransfer', tag: 'Transfers', summary: 'Get a transfer', problems: ['not-found', 'archived'] },
    { params: TransferPath, response: { 200: TransferOut } },
  );
  api.get('/transfers/:id', route, async (request) =>
    transferState(await readTransfer(service, gate.caller(request), readTransferId(request.params.id))),
  );
}
