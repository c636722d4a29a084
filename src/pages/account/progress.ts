import type { FastifyInstance } from 'fastify';
import { type RequestId, UUID_PATTERN } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findRequests } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import type { ProgressStreams } from '../../web/progress-streams.ts';
import { parameter } from '../../web/request-parameters.ts';
import { readVisitor } from '../../web/visitor.ts';

const PATH = '/account/progress';
/** The most that a page shows. */
const MOST = 20;
const REQUEST_IDS = new RegExp(`^(${UUID_PATTERN.slice(1, -1)}(,(?!$)|$)){1,${MOST}}$`);

/** GET /account/progress: the state of the user's requests that a page shows as in progress, all in one stream. */
export function progressRoute(pages: FastifyInstance, service: Service, streams: ProgressStreams): void {
  pages.get(PATH, async (request, reply) => {
    const named = parameter(request.query, 'requests') ?? '';
    const visitor = REQUEST_IDS.test(named) ? await readVisitor(service, request) : null;
    if (!visitor) throw notFound();
    const ids = [...new Set(named.toLowerCase().split(','))] as RequestId[];
    const own = (await findRequests(service.db, ids)).filter(({ userId }) => userId === visitor.user.id);
    if (own.length < ids.length) throw notFound();
    return streams.answer(request, reply, ids, visitor.user.id);
  });
}

export function progressAddress(ids: readonly RequestId[]): string {
  return `${PATH}?requests=${ids.join(',')}`;
}

function notFound(): Problem {
  return new Problem('not-found', 'There are no such requests.');
}
