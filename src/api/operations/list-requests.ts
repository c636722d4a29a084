import { requestIdFrom } from '../../base/ids.ts';
import { REQUEST_STATUSES, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../service/service.ts';
import { listRequests } from '../../views/requests/list-requests.ts';
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
import { RequestState, requestState } from '../schemas/request.ts';
import { Type } from '../schemas/schema.ts';

const Query = Type.Object({ ...LIST_QUERY, status: Type.Optional(someOf(REQUEST_STATUSES)) });

/** GET /v1/requests: the app's requests, or the user's requests from the token's app, newest first. */
export function listRequestsRoute(api: Api, service: Service): void {
  // Games ship keys to players: a key that only makes guests must not reveal who plays and pays.
  const gate = usersAndApps(service, 'requests', 'pay');
  const route = describe(
    gate,
    {
      operationId: 'listRequests',
      tag: 'Requests',
      summary: 'List requests, newest first',
      description:
        "The app's requests, or the player's requests from the token's app. A page may hold fewer than `limit` requests, or none, " +
        'while `next` is not null. Requests that exist when you read the first page are listed exactly once.',
    },
    { querystring: Query, response: { 200: listOf(RequestState, 'RequestList') } },
  );
  api.get('/requests', route, async (incoming) => {
    const { query } = incoming;
    const [before] = decodeCursor(query.cursor, 1) ?? [];
    const { requests, next, archivedBefore } = await listRequests(service, gate.caller(incoming), {
      before: before === undefined ? null : requestIdFrom(before),
      limit: readLimit(query.limit),
      userId: query.userId ?? null,
      statuses: (query.status?.split(',') as RequestStatus[] | undefined) ?? null,
      createdFrom: readMoment('createdFrom', query.createdFrom),
      createdBefore: readMoment('createdBefore', query.createdBefore),
    });
    return pageOf(requests.map(requestState), next && encodeCursor(next), archivedBefore);
  });
}
