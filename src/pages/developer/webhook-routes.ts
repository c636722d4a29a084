import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { asDeveloper } from '../../features/apps/managers.ts';
import {
  addEndpoint,
  changeEndpoint,
  changeWebhooks,
  removeEndpoint,
  rotateEndpointSecret,
  showWebhooks,
} from '../../features/webhooks/endpoints.ts';
import { redeliverEvent } from '../../features/webhooks/events.ts';
import type { Service } from '../../settlement/service.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { EVENT_TYPES, type EventType } from '../../webhooks/events.ts';
import { appIdOf, appPath } from './app-routes.ts';
import { sendConsolePage } from './developer-page.ts';
import { type RefusedUrl, webhookSecretPage, webhooksPage } from './webhooks-page.ts';

const PATH = '/developer/apps/:id/webhooks';

const SAID: Readonly<Record<string, string>> = {
  change: 'Saved.',
  enable: 'Enabled. Pending events are sent now.',
  disable: 'Disabled.',
  remove: 'Removed.',
  redeliver: 'Resending.',
};

/** The name of a change in the log, by the form's verb; the empty verb adds. */
const CHANGES: Readonly<Record<string, string>> = {
  '': 'add',
  rotate: 'rotate-secret',
  change: 'change',
  enable: 'change',
  disable: 'change',
  remove: 'remove',
};

/**
 * GET /developer/apps/{id}/webhooks shows an app's endpoints, POST adds one, and …/change, …/rotate, …/enable, …/disable, …/remove
 * and …/redeliver do what they say. Forms need a fresh sign-in, as events reveal players' payments.
 */
export function webhookRoutes(pages: FastifyInstance, service: Service): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { session, csrf }: Visitor,
    more: { notice?: string; refused?: RefusedUrl } = {},
  ) => {
    const webhooks = await showWebhooks(service, asDeveloper(session), appIdOf(request));
    return sendConsolePage(reply, webhooksPage({ ...webhooks, csrf, ...more }));
  };
  const back = (request: FastifyRequest, done = '') => `${appPath(request)}/webhooks${done && `?done=${done}`}`;

  pages.get(
    PATH,
    signedIn(service, async (request, reply, visitor) => {
      const done = parameter(request.query, 'done') ?? '';
      return show(request, reply, visitor, Object.hasOwn(SAID, done) ? { notice: SAID[done]! } : {});
    }),
  );

  /** Registers a form. `act` makes the change in the app's name, and returns a new secret or null. */
  const form = (verb: string, act: (request: FastifyRequest, visitor: Visitor) => Promise<string | null>) => {
    const path = verb === '' ? PATH : `${PATH}/${verb}`;
    const handler = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
      try {
        const secret = await act(request, visitor);
        noteChange(request, verb);
        if (secret !== null) return sendConsolePage(reply, webhookSecretPage(appIdOf(request), secret));
        return reply.redirect(back(request, verb), 303);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const status = reply.code(error.status);
        if (error.code === 'limit-reached') return show(request, status, visitor, { notice: error.message });
        if (error.code !== 'invalid-input') throw error;
        const refused = { ...given(request.body), endpoint: parameter(request.body, 'endpoint') ?? null };
        return show(request, status, visitor, {
          refused: { ...refused, error: `The URL ${error.faults[0]?.detail}.` },
        });
      }
    };
    pages.post(path, signedIn(service, handler, { fresh: true }));
    if (verb === '') return;
    // The address bar shows this path while a new secret is shown. Loading it by hand gives the page.
    pages.get(path, { config: { isUnlisted: true } }, (request, reply) => reply.redirect(back(request), 303));
  };

  const noteChange = (request: FastifyRequest, verb: string) => {
    const change = CHANGES[verb];
    if (change === undefined) return;
    const what = verb === '' ? change : `${change} ${endpointOf(request)}`;
    service.security.note('webhook-changed', { appId: appIdOf(request), what });
  };

  form('', async (request, { session }) => {
    const { url, types } = given(request.body);
    const added = await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
      addEndpoint(service, tx, appId, { url, types }),
    );
    return added.secret;
  });
  form('rotate', async (request, { session }) => {
    const rotated = await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
      rotateEndpointSecret(service, tx, appId, endpointOf(request)),
    );
    return rotated.secret;
  });
  const changes = {
    change: (body: unknown) => given(body),
    enable: () => ({ enabled: true }),
    disable: () => ({ enabled: false }),
  };
  for (const [verb, change] of Object.entries(changes)) {
    form(verb, async (request, { session }) => {
      await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
        changeEndpoint(service, tx, appId, endpointOf(request), change(request.body)),
      );
      return null;
    });
  }
  form('remove', async (request, { session }) => {
    await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
      removeEndpoint(tx, appId, endpointOf(request)),
    );
    return null;
  });
  form('redeliver', async (request, { session }) => {
    const event = parameter(request.body, 'event') ?? '';
    await changeWebhooks(service, asDeveloper(session), appIdOf(request), (tx, appId) =>
      redeliverEvent(tx, appId, event, endpointOf(request)),
    );
    return null;
  });
}

function endpointOf({ body }: FastifyRequest): string {
  return parameter(body, 'endpoint') ?? '';
}

/** No ticked type means all types. */
function given(body: unknown): { url: string; types: EventType[] | null } {
  const number = parameter(body, 'number');
  const types = EVENT_TYPES.filter((type) => parameter(body, type) === 'on');
  const url = parameter(body, number === undefined ? 'url' : `url-${number}`)?.trim() ?? '';
  return { url, types: types.length === 0 ? null : types };
}
