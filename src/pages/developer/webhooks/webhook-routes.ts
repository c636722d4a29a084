import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { Tx } from '../../../db/database.ts';
import { appFor, asDeveloper } from '../../../features/apps/managers.ts';
import {
  addEndpoint,
  changeEndpoint,
  changeWebhooks,
  removeEndpoint,
  rotateEndpointSecret,
  showWebhooks,
} from '../../../features/webhooks/endpoints.ts';
import { redeliverEvent } from '../../../features/webhooks/events.ts';
import type { Service } from '../../../settlement/service.ts';
import { parameter } from '../../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../../web/visitor.ts';
import type { EndpointChange } from '../../../webhooks/endpoints.ts';
import { EVENT_TYPES, type EventType } from '../../../webhooks/events.ts';
import { appIdOf, appPath, sendConsolePage } from '../console.ts';
import { type RefusedUrl, webhookSecretPage, webhooksPage } from './webhooks-page.ts';

const PATH = '/developer/apps/:id/webhooks';

/** A form of the page. */
type WebhookForm = {
  /** Acts in the app's name. A string is a new secret, to be shown. */
  readonly act: (service: Service, tx: Tx, appId: AppId, body: unknown) => Promise<string | undefined>;
  /** What the page says afterwards. */
  readonly notice?: string;
  /** The name of the change in the security log. */
  readonly change?: string;
};

/** By the end of their path. The form without one adds an endpoint. */
const FORMS: Readonly<Record<string, WebhookForm>> = {
  '': {
    act: async (service, tx, appId, body) => (await addEndpoint(service, tx, appId, given(body))).secret,
    change: 'add',
  },
  rotate: {
    act: async (service, tx, appId, body) => (await rotateEndpointSecret(service, tx, appId, endpointOf(body))).secret,
    change: 'rotate-secret',
  },
  change: { act: changeTo(given), notice: 'Saved.', change: 'change' },
  enable: {
    act: changeTo(() => ({ enabled: true })),
    notice: 'Enabled. Pending events are sent now.',
    change: 'change',
  },
  disable: { act: changeTo(() => ({ enabled: false })), notice: 'Disabled.', change: 'change' },
  remove: {
    act: async (_service, tx, appId, body) => void (await removeEndpoint(tx, appId, endpointOf(body))),
    notice: 'Removed.',
    change: 'remove',
  },
  redeliver: {
    act: async (_service, tx, appId, body) =>
      void (await redeliverEvent(tx, appId, parameter(body, 'event') ?? '', endpointOf(body))),
    notice: 'Resending.',
  },
};

function changeTo(wanted: (body: unknown) => EndpointChange): WebhookForm['act'] {
  return async (service, tx, appId, body) =>
    void (await changeEndpoint(service, tx, appId, endpointOf(body), wanted(body)));
}

/**
 * GET /developer/apps/{id}/webhooks shows an app's endpoints, POST adds one, and …/change, …/rotate, …/enable, …/disable, …/remove
 * and …/redeliver do what they say. Forms need a fresh sign-in, as events reveal players' payments.
 */
export function webhookRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (request, reply, visitor) => {
      const done = parameter(request.query, 'done') ?? '';
      const notice = Object.hasOwn(FORMS, done) ? FORMS[done]?.notice : undefined;
      return sendWebhooksPage(service, request, reply, visitor, { notice });
    }),
  );

  for (const [verb, form] of Object.entries(FORMS)) {
    const path = verb === '' ? PATH : `${PATH}/${verb}`;
    const back = (request: FastifyRequest, query = '') => `${appPath(request)}/webhooks${query}`;
    const handler = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
      const secret = await submit(service, request, visitor, verb, form).catch((error: unknown) => asProblem(error));
      if (secret instanceof Problem) return sendRefusal(service, request, reply, visitor, secret);
      if (secret === undefined) return reply.redirect(back(request, `?done=${verb}`), 303);
      const app = await appFor(service, asDeveloper(visitor.session), appIdOf(request), 'webhooks');
      return sendConsolePage(reply, webhookSecretPage(app, secret));
    };
    pages.post(path, signedIn(service, handler, { fresh: true }));
    if (verb === '') continue;
    // The address bar shows this path while a new secret is shown. Loading it by hand gives the page.
    pages.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(back(request), 303));
  }
}

async function sendWebhooksPage(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  shown: { readonly notice?: string | undefined; readonly refused?: RefusedUrl },
): Promise<FastifyReply> {
  const webhooks = await showWebhooks(service, asDeveloper(session), appIdOf(request));
  return sendConsolePage(reply, webhooksPage({ ...webhooks, csrf, ...shown }));
}

async function submit(
  service: Service,
  request: FastifyRequest,
  { session }: Visitor,
  verb: string,
  { act, change }: WebhookForm,
): Promise<string | undefined> {
  const secret = await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
    act(service, tx, appId, request.body),
  );
  if (change !== undefined) {
    const what = verb === '' ? change : `${change} ${endpointOf(request.body)}`;
    service.security.note('webhook-changed', { appId: appIdOf(request), what });
  }
  return secret;
}

/** A refusal that the page can show. Other errors are thrown. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem && (error.code === 'limit-reached' || error.code === 'invalid-input')) return error;
  throw error;
}

function sendRefusal(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  { code, status, message, faults }: Problem,
): Promise<FastifyReply> {
  reply.code(status);
  if (code === 'limit-reached') return sendWebhooksPage(service, request, reply, visitor, { notice: message });
  const endpoint = parameter(request.body, 'endpoint') ?? null;
  const refused = { ...given(request.body), endpoint, error: `The URL ${faults[0]?.detail}.` };
  return sendWebhooksPage(service, request, reply, visitor, { refused });
}

function endpointOf(body: unknown): string {
  return parameter(body, 'endpoint') ?? '';
}

/** No ticked type means all types. */
function given(body: unknown): { url: string; types: EventType[] | null } {
  const number = parameter(body, 'number');
  const types = EVENT_TYPES.filter((type) => parameter(body, type) === 'on');
  const url = parameter(body, number === undefined ? 'url' : `url-${number}`)?.trim() ?? '';
  return { url, types: types.length === 0 ? null : types };
}
