import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { identifyOperator } from '../../base/log.ts';
import { Problem } from '../../base/problems.ts';
import { type ActingOperator, isActiveOperator } from '../../features/operators/operators.ts';
import type { House } from '../../service/house.ts';
import type { Service } from '../../service/service.ts';
import { icon } from '../../web/icons.ts';
import type { Markup, Page } from '../../web/layout.ts';
import { type GuardedRoutes, guardedRoutes, signedIn, signInAddress, type Visitor } from '../../web/visitor.ts';
import { type ConsoleContent, consoleForm, consolePage, consoleSidebar, sendConsolePage } from './console.ts';
import { inOrder, OPERATOR_SECTIONS } from './sections.ts';

/** A page of the operators' console. A page of one user, say, belongs to no section: `null`. */
export function operatorPage(visitor: Visitor, section: string | null, content: ConsoleContent): Page {
  const sidebar = (house: House) => {
    const whose = html`<p class="whose"><span class="monogram">${icon('shield')}</span><span>Operator</span></p>
${searchForm(visitor)}`;
    return consoleSidebar(house, { label: 'Sections', base: '/operator', whose }, OPERATOR_SECTIONS, section);
  };
  return consolePage(content, sidebar, 'Operator');
}

function searchForm(visitor: Visitor): Markup {
  const input = html`<label class="visually-hidden" for="find">Search</label>
<input id="find" name="q" type="search" maxlength="300" autocomplete="off" placeholder="Search" required><button class="visually-hidden">Search</button>`;
  return html`<search>${consoleForm(visitor, '/operator/search', '/operator', input)}</search>`;
}

/** An operator's page. Its response is never cached. */
export type OperatorHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  operator: ActingOperator,
) => Promise<unknown>;

export type OperatorRoutes = GuardedRoutes<OperatorHandler>;

/**
 * Routes for operators who signed in with a passkey. For all other users the page does not exist, also not for an operator whose account
 * is frozen. An operator without a passkey session is asked for it. What moves money or opens somebody's data is `fresh`. What a handler
 * changes, it changes after `holdActing`, in the same transaction.
 */
export function routesForOperators(pages: FastifyInstance, service: Service): OperatorRoutes {
  return guardedRoutes<OperatorHandler>(pages, (handler, access) =>
    signedIn(
      service,
      async (request, reply, visitor) => {
        if (!(await isActiveOperator(service.db, visitor.user.id))) {
          throw new Problem('not-found', 'There is nothing at this address.');
        }
        if (!visitor.session.methods.includes('hwk')) return sendConsolePage(reply.code(403), passkeyPage(request));
        identifyOperator();
        return handler(request, reply, visitor, { kind: 'person', session: visitor.session });
      },
      access,
    ),
  );
}

/** Where no section has GET /operator, it leads to the first one. */
export function firstSectionRoute(operators: OperatorRoutes, { house }: Service): void {
  const sections = inOrder(house, OPERATOR_SECTIONS);
  const [first] = sections;
  if (!first || sections.some(({ path }) => path === '')) return;
  operators.get('/operator', async (_request, reply) => reply.redirect(`/operator${first.path}`, 303));
}

function passkeyPage({ method, url }: FastifyRequest): Page {
  const back = method === 'GET' ? url : '/operator';
  const content = html`<section class="card"><p>The operators’ console opens with a passkey only. You signed in with a password or a code.</p>
<p><a class="primary" href="${signInAddress(back, true)}">Sign in with a passkey</a></p></section>`;
  return consolePage({ title: 'Use your passkey', content });
}
