import { Type } from 'typebox';
import type { RequestId, UserId } from '../../base/ids.ts';
import { REQUEST_STATUSES, type RequestStatus } from '../../requests/states.ts';
import type { Service } from '../../usecases/service.ts';
import { listRequests } from '../../usecases/user/list-requests.ts';
import { usersAndApps } from '../caller.ts';
import { describe } from './describe.ts';
import { LIST_QUERY, listOf, readCursor, readLimit, readMoment, someOf, writeCursor } from './list.ts';
import { RequestState, requestState } from './request-shape.ts';
import type { Api } from './route.ts';

const Query = Type.Object({ ...LIST_QUERY, status: Type.Optional(someOf(REQUEST_STATUSES)) });

/** GET /v1/requests: the app's requests, or those of the user through the token's app, newest first. */
export function requestList(api: Api, service: Service): void {
  // Games ship keys: one that makes guests must not tell who plays and pays.
  const gate = usersAndApps(service, 'requests', 'pay');
  const route = describe(
    gate,
    {
      operationId: 'listRequests',
      tag: 'Requests',
      summary: 'Requests, newest first',
      description:
        'Those of the app, or of the player through the app of the token. A page may hold fewer than `limit`, even none, ' +
        'while `next` is not null. A walk over the pages neither repeats nor leaves out what was there when it began.',
    },
    { querystring: Query, response: { 200: listOf(RequestState, 'RequestList') } },
  );
  api.get('/requests', route, async (incoming) => {
    const { query } = incoming;
    const { requests, next } = await listRequests(service, gate.caller(incoming), {
      before: (readCursor(query.cursor, 1)?.[0] as RequestId | undefined) ?? null,
      limit: readLimit(query.limit),
      userId: (query.userId as UserId | undefined) ?? null,
      statuses: (query.status?.split(',') as RequestStatus[] | undefined) ?? null,
      createdFrom: readMoment('createdFrom', query.createdFrom),
      createdBefore: readMoment('createdBefore', query.createdBefore),
    });
    return { data: requests.map(requestState), next: next && writeCursor(next) };
  });
}
