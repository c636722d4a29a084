import type { FastifyRequest } from 'fastify';
import { type CallId, callIdFrom } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import { appIdOf } from '../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { asDeveloper } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { SignedInRoutes } from '../../../web/visitor.ts';
import { listCalls, showCall } from '../views/read-calls.ts';
import { logAddress, readAsked, searchOf, withoutKey } from './call-filters.ts';
import { callPage } from './call-page.ts';
import { logPage } from './log-page.ts';

const LOG = '/developer/apps/:id/log';
const PER_PAGE = 50;

/**
 * GET /developer/apps/{id}/log lists an app's calls of the API, newest first, and …/log/{call} shows one. `before`: the end of the
 * previous page.
 */
export function logRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(LOG, async (request, reply, { session }) => {
    const asked = readAsked(request.query);
    const before = cursorOf(request);
    const shortened = withoutKey(asked);
    if (shortened) return reply.redirect(logAddress(appIdOf(request), shortened), 303);
    const page = await listCalls(service, asDeveloper(session), appIdOf(request), searchOf(asked), PER_PAGE, before);
    return sendConsolePage(reply, logPage(service, { ...page, asked, isLater: before !== undefined }));
  });
  visitors.get(`${LOG}/:call`, async (request, reply, { session }) => {
    const { call: id } = request.params as { call: string };
    const { app, call } = await showCall(service, asDeveloper(session), appIdOf(request), id);
    return sendConsolePage(reply, callPage(service.house, app, call));
  });
}

function cursorOf({ query }: FastifyRequest): CallId | undefined {
  const before = parameter(query, 'before');
  if (before === undefined) return undefined;
  const id = callIdFrom(before);
  if (!id) throw new Problem('invalid-input', 'The cursor is not valid.');
  return id;
}
