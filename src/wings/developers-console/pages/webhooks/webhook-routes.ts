import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EventId, eventIdFrom } from '../../../../base/ids.ts';
import type { Problem } from '../../../../base/problems.ts';
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
import type { Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { DELIVERY_STATES, type DeliveriesWanted } from '../../../../webhooks/delivery-list.ts';
import type { EndpointChange } from '../../../../webhooks/webhook-endpoints.ts';
import { addFormPage, type FormOutcome, type SentForm } from '../page-forms.ts';
import { endpointPage } from './endpoint-page.ts';
import { givenEndpoint, pathOfEndpoint, pathOfWebhooks, typeIn } from './webhook-parts.ts';
import { type RefusedEndpoint, webhookSecretPage, webhooksPage } from './webhooks-page.ts';

const LIST = '/developer/apps/:id/webhooks';
const ONE = `${LIST}/:endpoint`;

/**
 * GET /developer/apps/{id}/webhooks shows an app's endpoints, POST adds one. GET …/webhooks/{endpoint} shows one with its deliveries, and
 * POST …/change, …/rotate, …/enable, …/disable and …/remove do what they say. Forms need a fresh sign-in, as events reveal players'
 * payments.
 */
export function webhookRoutes(visitors: SignedInRoutes, service: Service): void {
  addFormPage<RefusedEndpoint>(visitors, service, {
    path: LIST,
    at: (request) => pathOfWebhooks(appIdOf(request)),
    show: sendList,
    refusal: refusalOf,
    forms: {
      '': {
        action: 'add a webhook endpoint',
        async act(form) {
          const { id, secret } = await addEndpoint(service, form, givenEndpoint(form.body));
          return secretPage(form, secret, pathOfEndpoint(form.appId, id));
        },
      },
    },
  });
  const action = 'change a webhook endpoint';
  const change = (wanted: (body: unknown) => EndpointChange) => async (form: SentForm) =>
    void (await changeEndpoint(service, form, endpointOf(form.request), wanted(form.body)));
  addFormPage<RefusedEndpoint>(visitors, service, {
    path: ONE,
    at: pathOf,
    show: sendOne,
    refusal: refusalOf,
    forms: {
      change: { action, notice: 'Saved.', act: change(givenEndpoint) },
      rotate: {
        action,
        async act(form) {
          const { secret } = await rotateEndpointSecret(service, form, endpointOf(form.request));
          return secretPage(form, secret, pathOf(form.request));
        },
      },
      enable: { action, notice: 'Enabled. Pending events are sent now.', act: change(() => ({ enabled: true })) },
      disable: { action, notice: 'Disabled.', act: change(() => ({ enabled: false })) },
      remove: {
        action,
        async act(form) {
          await removeEndpoint(service, form, endpointOf(form.request));
          return `${pathOfWebhooks(form.appId)}?done=remove`;
        },
      },
    },
  });
}

const endpointOf = ({ params }: FastifyRequest): string => (params as { endpoint: string }).endpoint;
const pathOf = (request: FastifyRequest): string => pathOfEndpoint(appIdOf(request), endpointOf(request));

async function secretPage({ service, by, appId }: SentForm, secret: string, pathOfItsEndpoint: string): Promise<Page> {
  return webhookSecretPage(await appFor(service, by, appId, 'webhooks'), secret, pathOfItsEndpoint);
}

async function sendList(
  service: Service,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  outcome: FormOutcome<RefusedEndpoint>,
) {
  const { request } = reply;
  const removed = parameter(request.query, 'done') === 'remove' ? { notice: 'Removed.' } : {};
  const webhooks = await showWebhooks(service, asDeveloper(session), appIdOf(request));
  return sendConsolePage(reply, webhooksPage({ ...webhooks, csrf, ...outcome, ...removed }));
}

async function sendOne(
  service: Service,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  outcome: FormOutcome<RefusedEndpoint>,
) {
  const { request } = reply;
  const wanted = wantedIn(request.query);
  const own = await showEndpoint(service, asDeveloper(session), appIdOf(request), endpointOf(request), wanted);
  return sendConsolePage(reply, endpointPage({ ...own, csrf, wanted, ...outcome }));
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

function refusalOf({ code, faults: [fault], message }: Problem, body: unknown): FormOutcome<RefusedEndpoint> | null {
  if (code !== 'limit-reached' && code !== 'invalid-input') return null;
  return fault ? { refused: { ...givenEndpoint(body), error: `The URL ${fault.detail}.` } } : { notice: message };
}
