import type { FastifyReply, FastifyRequest } from 'fastify';
import { appIdFrom } from '../../../../base/ids.ts';
import { Problem } from '../../../../base/problems.ts';
import { approveAction, refuseAction, retryAction } from '../../../../features/operator-actions/approve-action.ts';
import {
  browseActions,
  openActions,
  previewWaiting,
  readAction,
} from '../../../../features/operator-actions/read-actions.ts';
import { type ActingOperator, listOperators } from '../../../../features/operators/operators.ts';
import { findApps } from '../../../../identity/apps.ts';
import { ACTION_STATES, type ActionRow, type ActionState } from '../../../../operator-actions/operator-actions.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { actionPage, actionsPage } from './action-pages.ts';

const PATH = '/operator/actions';

/** What can be done with an action on its page, by the end of the path. */
const DECISIONS: Readonly<
  Record<
    string,
    { act(service: Service, operator: ActingOperator, id: string, hash: string): Promise<unknown>; action: string }
  >
> = {
  approve: {
    act: (service, operator, id, hash) => approveAction(service, operator, { id, hash }),
    action: 'approve an action',
  },
  refuse: { act: (service, operator, id) => refuseAction(service, operator, id), action: 'refuse an action' },
  retry: { act: (service, operator, id) => retryAction(service, operator, id), action: 'finish an action' },
};

/** GET /operator/actions lists actions, …/{id} shows one, and POST …/approve, …/refuse and …/retry decide. */
export function actionRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, async (request, reply, visitor) => {
    const { state, kind, subject, after } = Object.fromEntries(
      ['state', 'kind', 'subject', 'after'].map((name) => [name, parameter(request.query, name)]),
    );
    const filter = { state: ACTION_STATES.find((known): known is ActionState => known === state), kind, subject };
    const [open, found] = await Promise.all([openActions(service), browseActions(service, filter, after)]);
    const names = await namesIn(service, [...open, ...found.actions]);
    return sendConsolePage(reply, actionsPage({ visitor, names, open, filter, found }));
  });
  operators.get(
    `${PATH}/:id`,
    {
      fresh: true,
    },
    async (request, reply, visitor) => showAction(service, reply, visitor, idOf(request)),
  );
  for (const [verb, { act, action }] of Object.entries(DECISIONS)) {
    operators.post(`${PATH}/:id/${verb}`, { fresh: true, action }, async (request, reply, _visitor, operator) => {
      const { id } = await readAction(service, idOf(request));
      await act(service, operator, id, parameter(request.body, 'hash') ?? '');
      return reply.redirect(`${PATH}/${id}`, 303);
    });
  }
}

async function showAction(service: Service, reply: FastifyReply, visitor: Visitor, id: string): Promise<FastifyReply> {
  const action = await readAction(service, id);
  const names = await namesIn(service, [action]);
  const preview = action.state === 'waiting' ? await previewOrRefusal(service, action) : null;
  return sendConsolePage(reply, actionPage({ visitor, names, action, preview }));
}

async function previewOrRefusal(service: Service, action: ActionRow) {
  return previewWaiting(service, action).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    return { refusal: error.message };
  });
}

/** The names of all operators, and of the apps that these actions concern. */
async function namesIn(service: Service, actions: readonly ActionRow[]): Promise<Map<string, string>> {
  const concerned = actions.flatMap(({ subject }) => appIdFrom(/^app:(.*)$/.exec(subject ?? '')?.[1] ?? '') ?? []);
  const [operators, apps] = await Promise.all([listOperators(service), findApps(service.db, concerned)]);
  return new Map([
    ...operators.map(({ userId, displayName }): [string, string] => [userId, displayName]),
    ...[...apps].map(([id, { name }]): [string, string] => [id, name]),
  ]);
}

function idOf({ params }: FastifyRequest): string {
  return parameter(params, 'id') ?? '';
}
