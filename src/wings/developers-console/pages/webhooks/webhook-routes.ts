import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EventId, eventIdFrom } from '../../../../base/ids.ts';
import { Problem } from '../../../../base/problems.ts';
import type { WebhookManager } from '../../../../features/webhooks/change-webhooks.ts';
import {
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
} from '../../../../features/webhooks/manage-webhook-endpoints.ts';
import { appIdOf } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { showEndpoint, showWebhooks } from '../../../../views/webhooks/show-webhooks.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { DELIVERY_STATES, type DeliveriesWanted } from '../../../../webhooks/delivery-list.ts';
import type { EndpointChange } from '../../../../webhooks/webhook-endpoints.ts';
import { endpointPage } from './endpoint-page.ts';
import { givenEndpoint, pathOfEndpoint, pathOfWebhooks, typeIn } from './webhook-parts.ts';
import { type RefusedEndpoint, webhookSecretPage, webhooksPage } from './webhooks-page.ts';

const LIST = '/developer/apps/:id/webhooks';
const ONE = `${LIST}/:endpoint`;

/** A form about one endpoint. */
type EndpointForm = {
  /** A string is a new secret, to be shown. */
  readonly act: (service: Service, manager: WebhookManager, id: string, body: unknown) => Promise<string | undefined>;
  /** What the page says afterwards. */
  readonly notice: string;
};

/** By the end of their path. */
const FORMS: Readonly<Record<string, EndpointForm>> = {
  change: { act: changeTo(givenEndpoint), notice: 'Saved.' },
  rotate: {
    act: async (service, manager, id) => (await rotateEndpointSecret(service, manager, id)).secret,
    notice: '',
  },
  enable: {
    act: changeTo(() => ({ enabled: true })),
    notice: 'Enabled. Pending events are sent now.',
  },
  disable: { act: changeTo(() => ({ enabled: false })), notice: 'Disabled.' },
  remove: {
    act: async (service, manager, id) => void (await removeEndpoint(service, manager, id)),
    notice: 'Removed.',
  },
};

function changeTo(wanted: (body: unknown) => EndpointChange): EndpointForm['act'] {
  return async (service, manager, id, body) => void (await changeEndpoint(service, manager, id, wanted(body)));
}

/**
 * GET /developer/apps/{id}/webhooks shows an app's endpoints, POST adds one. GET …/webhooks/{endpoint} shows one with its deliveries, and
 * POST …/change, …/rotate, …/enable, …/disable and …/remove do what they say. Forms need a fresh sign-in, as events reveal players'
 * payments.
 */
export function webhookRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(LIST, async (request, reply, visitor) => sendList(service, request, reply, visitor, noticeIn(request)));
  visitors.post(LIST, { fresh: true, action: 'add a webhook endpoint' }, addHandler(service));
  visitors.get(ONE, async (request, reply, visitor) => sendOne(service, request, reply, visitor, noticeIn(request)));
  for (const [verb, form] of Object.entries(FORMS)) {
    visitors.post(
      `${ONE}/${verb}`,
      { fresh: true, action: 'change a webhook endpoint', back: pathOf },
      formHandler(service, verb, form),
    );
  }
}

type Shown = { readonly notice?: string | undefined; readonly refused?: RefusedEndpoint | undefined };

function noticeIn({ query }: FastifyRequest): Shown {
  const done = parameter(query, 'done') ?? '';
  return { notice: Object.hasOwn(FORMS, done) ? FORMS[done]!.notice : undefined };
}

const endpointOf = ({ params }: FastifyRequest): string => (params as { endpoint: string }).endpoint;
const pathOf = (request: FastifyRequest): string => pathOfEndpoint(appIdOf(request), endpointOf(request));

async function sendList(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  shown: Shown,
): Promise<FastifyReply> {
  const webhooks = await showWebhooks(service, asDeveloper(session), appIdOf(request));
  return sendConsolePage(reply, webhooksPage({ ...webhooks, csrf, ...shown }));
}

async function sendOne(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  shown: Shown,
): Promise<FastifyReply> {
  const wanted = wantedIn(request.query);
  const own = await showEndpoint(service, asDeveloper(session), appIdOf(request), endpointOf(request), wanted);
  return sendConsolePage(reply, endpointPage({ ...own, csrf, wanted, ...shown }));
}

/** What a filter names. What it cannot name counts as absent. */
function wantedIn(query: unknown): DeliveriesWanted {
  const state = DELIVERY_STATES.find((one) => one === parameter(query, 'state')) ?? null;
  return { state, type: typeIn(query), before: eventIdIn(query, 'before') };
}

/** The id of an event in a query; null if there is none. */
export function eventIdIn(query: unknown, name: string): EventId | null {
  return eventIdFrom(parameter(query, name) ?? '');
}

function addHandler(service: Service) {
  return async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const developer = asDeveloper(visitor.session);
    const appId = appIdOf(request);
    const given = givenEndpoint(request.body);
    const added = await addEndpoint(service, { by: developer, appId }, given).catch(asProblem);
    if (added instanceof Problem) {
      return sendList(service, request, reply.code(added.status), visitor, refusalOf(added, given));
    }
    const app = await appFor(service, developer, appId, 'webhooks');
    return sendConsolePage(reply, webhookSecretPage(app, added.secret, pathOfEndpoint(appId, added.id)));
  };
}

function formHandler(service: Service, verb: string, { act }: EndpointForm) {
  return async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
    const developer = asDeveloper(visitor.session);
    const appId = appIdOf(request);
    const id = endpointOf(request);
    const secret = await act(service, { by: developer, appId }, id, request.body).catch(asProblem);
    if (secret instanceof Problem) {
      const refusal = refusalOf(secret, givenEndpoint(request.body));
      return sendOne(service, request, reply.code(secret.status), visitor, refusal);
    }
    if (secret === undefined) {
      return reply.redirect(`${verb === 'remove' ? pathOfWebhooks(appId) : pathOf(request)}?done=${verb}`, 303);
    }
    return sendConsolePage(
      reply,
      webhookSecretPage(await appFor(service, developer, appId, 'webhooks'), secret, pathOf(request)),
    );
  };
}

/** A refusal that the page can show. Other errors are thrown. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem && (error.code === 'limit-reached' || error.code === 'invalid-input')) return error;
  throw error;
}

function refusalOf({ faults: [fault], message }: Problem, given: Omit<RefusedEndpoint, 'error'>): Shown {
  return fault ? { refused: { ...given, error: `The URL ${fault.detail}.` } } : { notice: message };
}
