import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import { Problem } from '../../../base/problems.ts';
import { consoleForm, sendConsolePage } from '../../../pages/consoles/console.ts';
import { dataTable } from '../../../pages/consoles/console-table.ts';
import { pathTo } from '../../../pages/consoles/entity-parts.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import { amountIn } from '../../../pages/consoles/payments-filter.ts';
import type { Service } from '../../../service/service.ts';
import { HIT_COLUMNS } from '../../../views/inspection/found-columns.ts';
import { type Hit, type SearchOutcome, searchEverything } from '../../../views/inspection/search.ts';
import { isPersonal, type SearchTerm, searchTerm } from '../../../views/inspection/search-term.ts';
import { gameText } from '../../../web/game-text.ts';
import type { Markup, Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { Visitor } from '../../../web/visitor.ts';

const PATH = '/operator/search';
const PAYMENTS = '/operator/payments';

/**
 * POST /operator/search finds anything. An id leads to GET …/search?q={id}, which can be shared. An e-mail address or a name stays in the body
 * of POST …/search/people, so that no history and no log has it. That one asks who the operator is.
 */
export function searchRoutes(operators: OperatorRoutes, service: Service): void {
  operators.post(PATH, async (request, reply) => {
    const typed = parameter(request.body, 'q') ?? '';
    // 307 keeps the method and the body.
    if (isPersonal(searchTerm(typed, service.chain.chainId))) return reply.redirect(`${PATH}/people`, 307);
    return reply.redirect(`${PATH}?${new URLSearchParams({ q: typed })}`, 303);
  });

  operators.get(PATH, async (request, reply, visitor) => {
    const typed = parameter(request.query, 'q') ?? '';
    const term = searchTerm(typed, service.chain.chainId);
    if (typed === '' || isPersonal(term)) return sendConsolePage(reply, operatorSearchPage(visitor, typed, null));
    return answer(service, reply, visitor, typed, term);
  });

  operators.post(
    `${PATH}/people`,
    { fresh: true, action: 'search for a person' },
    async (request: FastifyRequest, reply, visitor) => {
      const typed = parameter(request.body, 'q') ?? '';
      return answer(service, reply, visitor, typed, searchTerm(typed, service.chain.chainId));
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
  const isSaid = error instanceof Problem && (error.code === 'chain-unavailable' || error.code === 'archived');
  if (isSaid) return { fault: error.message };
  throw error;
}

/** The search, with what it found. `outcome`: null if nothing was looked for yet. */
function operatorSearchPage(visitor: Visitor, typed: string, outcome: SearchOutcome | { fault: string } | null): Page {
  const amount = amountIn({ amount: typed });
  const content = html`<section class="card">
${consoleForm(
  visitor,
  PATH,
  PATH,
  html`<div class="field"><label for="q">Search everything</label>
<input id="q" name="q" type="search" maxlength="300" value="${typed}" autocomplete="off" spellcheck="false" required aria-describedby="q-hint">
<p class="hint" id="q-hint">A player by any part of the name or the e-mail address, a guest by the beginning of the name, an app by any part of it. A user, app, payment, transfer, reward, report or webhook event by its id. An account by its address, a transaction by its hash (txId).</p></div>
<button class="primary">Search</button>`,
)}
<p>${amount === undefined ? html`<a href="${PAYMENTS}">Find a payment by its amount or description</a>` : html`<a href="${PAYMENTS}?amount=${amount.toString()}">Payments of ${en.quarters(amount)}</a>`}</p>
</section>
${outcome && results(outcome)}`;
  return operatorPage(visitor, null, { title: 'Search', content });
}

function results(outcome: SearchOutcome | { fault: string }): Markup {
  if ('fault' in outcome) return html`<p class="notice bad" role="alert">${outcome.fault}</p>`;
  const { hits, lookedFor, isPart } = outcome;
  if (hits.length === 0) return html`<p class="notice" role="status">There is no ${lookedFor}.</p>`;
  return html`<section class="card">
${dataTable('What was found', [HIT_COLUMNS.kind, { ...HIT_COLUMNS.name, value: hitLink }], hits)}
${isPart && html`<p class="hint">There are more. Type more of the name.</p>`}
</section>`;
}

function hitLink({ name, target }: Hit): Markup {
  return html`<a href="${pathTo(target.page, target.id)}"><bdi>${gameText(name, 80) ?? target.id}</bdi></a> <span class="hint">${name !== target.id && html`<code>${target.id}</code>`}</span>`;
}
