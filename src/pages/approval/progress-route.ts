import type { FastifyInstance } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { opensProgress, requestByKey } from '../../features/approvals/page-access.ts';
import type { Service } from '../../settlement/service.ts';
import { clientAddress } from '../../web/client-address.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { parameter } from '../../web/request-parameters.ts';
import { requestIdOf, sessionOf } from './approval-routes.ts';

/** GET /requests/{id}/progress: the state of a payment, for its signed-in user or, by its `token`, for a guest's result page. */
export function approvalProgressRoute(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  const path = `${service.settings.approvalPath ?? ''}/requests/:id/progress`;
  pages.get(path, async (request, reply) => {
    const requestId = requestIdOf(request);
    const token = parameter(request.query, 'token');
    if (token !== undefined) {
      if (!opensProgress(service, requestId, token)) throw notFound();
      return streams.answer(request, reply, [requestId], clientAddress(request));
    }
    const session = await sessionOf(service, request);
    if (!session) throw notFound();
    await requestByKey(service, requestId, session);
    return streams.answer(request, reply, [requestId], session.userId);
  });
}

function notFound(): Problem {
  return new Problem('not-found', 'There is no such request.');
}
