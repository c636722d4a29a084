import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../../base/problems.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { pathTo } from '../../../../pages/consoles/entity-parts.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { type SearchOutcome, searchEverything } from '../../../../views/inspection/search.ts';
import { isPersonal, type SearchTerm, searchTerm } from '../../../../views/inspection/search-term.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { operatorSearchPage } from './search-page.ts';

const PATH = '/operator/search';

/**
 * POST /operator/search finds anything. An id leads to GET …/search?q={id}, which can be shared. An e-mail address or a name stays in the body
 * of POST …/search/people, so that no history and no log has it. That one asks who the operator is.
 */
export function searchRoutes(operators: OperatorRoutes, service: Service): void {
  operators.post(PATH, async (request, reply) => {
    const typed = parameter(request.body, 'q') ?? '';
    // 307 keeps the method and the body.
    if (isPersonal(searchTerm(typed))) return reply.redirect(`${PATH}/people`, 307);
    return reply.redirect(`${PATH}?${new URLSearchParams({ q: typed })}`, 303);
  });

  operators.get(PATH, async (request, reply, visitor) => {
    const typed = parameter(request.query, 'q') ?? '';
    const term = searchTerm(typed);
    if (typed === '' || isPersonal(term)) return sendConsolePage(reply, operatorSearchPage(visitor, typed, null));
    return answer(service, reply, visitor, typed, term);
  });

  operators.post(
    `${PATH}/people`,
    { fresh: true, action: 'search for a person' },
    async (request: FastifyRequest, reply, visitor) => {
      const typed = parameter(request.body, 'q') ?? '';
      return answer(service, reply, visitor, typed, searchTerm(typed));
    },
  );
}

/** One hit leads straight to its page. */
async function answer(
  service: Service,
  reply: FastifyReply,
  visitor: Visitor,
  typed: string,
  term: SearchTerm,
): Promise<FastifyReply> {
  const outcome: SearchOutcome | { fault: string } =
    term.kind === 'fault' ? { fault: term.says } : await searchEverything(service, term).catch(asFault);
  if ('hits' in outcome) {
    const [only] = outcome.hits;
    if (only && outcome.hits.length === 1) return reply.redirect(pathTo(only.target.page, only.target.id), 303);
  }
  return sendConsolePage(reply, operatorSearchPage(visitor, typed, outcome));
}

/** Says on the page that the chain's node does not answer. */
function asFault(error: unknown): { fault: string } {
  if (error instanceof Problem && error.code === 'chain-unavailable') return { fault: error.message };
  throw error;
}
