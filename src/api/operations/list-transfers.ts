import { EXAMPLES } from '../../base/example-values.ts';
import { type RequestId, requestIdFrom, type TransferId, UUID_PATTERN } from '../../base/ids.ts';
import { TRANSFER_STATUSES, type TransferStatus } from '../../base/transfer-statuses.ts';
import type { Service } from '../../service/service.ts';
import { listTransfers } from '../../views/transfers/read-transfers.ts';
import { usersAndApps } from '../caller.ts';
import type { Api } from '../describe/describe.ts';
import { describe } from '../describe/describe.ts';
import {
  decodeCursor,
  encodeCursor,
  LIST_QUERY,
  listOf,
  pageOf,
  readLimit,
  readMoment,
  someOf,
} from '../schemas/list.ts';
import { Type } from '../schemas/schema.ts';
import { TransferOut, transferState } from '../schemas/transfer.ts';

const Query = Type.Object({
  ...LIST_QUERY,
  status: Type.Optional(someOf(TRANSFER_STATUSES)),
  requestId: Type.Optional(
    Type.String({ pattern: UUID_PATTERN, description: "a request's id, a UUID", examples: [EXAMPLES.requestId] }),
  ),
  direction: Type.Optional(
    Type.Unsafe<'in' | 'out'>({
      type: 'string',
      enum: ['in', 'out'],
      description: 'in (to the caller) or out (from the caller)',
      examples: ['in'],
    }),
  ),
});

/** GET /v1/transfers: the transfers of the app's requests, or of the user's requests from the token's app. */
export function listTransfersRoute(api: Api, service: Service): void {
  // As with requests: a key that only makes guests must not reveal who pays.
  const gate = usersAndApps(service, 'requests', 'pay');
  const route = describe(
    gate,
    {
      operationId: 'listTransfers',
      tag: 'Transfers',
      summary: 'List transfers, those of the newest request first',
      description:
        "The transfers of the app's requests, or of the player's requests from the token's app. A payment that a reward covers in " +
        'part is two transfers of one request. A page may hold fewer than `limit` transfers, or none, while `next` is not null.',
    },
    { querystring: Query, response: { 200: listOf(TransferOut, 'TransferList') } },
  );
  api.get('/transfers', route, async (incoming) => {
    const { query } = incoming;
    const [request, transfer] = decodeCursor(query.cursor, 2) ?? [];
    const { transfers, next, archivedBefore } = await listTransfers(service, gate.caller(incoming), {
      after: request === undefined ? null : { request: request as RequestId, transfer: transfer as TransferId },
      limit: readLimit(query.limit),
      userId: query.userId ?? null,
      requestId: query.requestId === undefined ? null : requestIdFrom(query.requestId),
      statuses: (query.status?.split(',') as TransferStatus[] | undefined) ?? null,
      direction: query.direction ?? null,
      createdFrom: readMoment('createdFrom', query.createdFrom),
      createdBefore: readMoment('createdBefore', query.createdBefore),
    });
    const cursor = next && encodeCursor(next.request, next.transfer);
    return pageOf(transfers.map(transferState), cursor, archivedBefore);
  });
}
