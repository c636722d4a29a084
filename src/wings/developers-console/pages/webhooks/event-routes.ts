import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDay } from '../../../../base/dates.ts';
import { Problem } from '../../../../base/problems.ts';
import { redeliverEvent } from '../../../../features/webhooks/events.ts';
import { sendTestEvent } from '../../../../features/webhooks/test-events.ts';
import { appIdOf } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { showEvent, showEvents, showWebhooks } from '../../../../views/webhooks/show-webhooks.ts';
import { catchRefusal } from '../../../../web/page-scope.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { addFormPage, type FormOutcome } from '../page-forms.ts';
import { eventPage } from './event-page.ts';
import { eventsPage, type TypedSearch } from './events-page.ts';
import { pathOfEvent, typeIn } from './webhook-parts.ts';
import { eventIdIn } from './webhook-routes.ts';
import { webhooksPage } from './webhooks-page.ts';

const LIST = '/developer/apps/:id/events';
const ONE = `${LIST}/:event`;
const DAY_MS = 86_400_000;

/**
 * GET /developer/apps/{id}/events lists an app's events, POST sends a test event. GET …/events/{event} shows one, and POST …/redeliver sends
 * it again. Forms need a fresh sign-in.
 */
export function eventRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(LIST, async (_request, reply, visitor) => sendEvents(service, reply, visitor));
  visitors.post(LIST, { fresh: true, action: 'send a test event' }, testHandler(service));
  addFormPage(visitors, service, {
    path: ONE,
    at: pathOf,
    show: sendEvent,
    forms: {
      redeliver: {
        action: 'send an event again',
        notice: 'Resending.',
        async act(form) {
          await redeliverEvent(service, form, eventOf(form.request), parameter(form.body, 'endpoint') ?? null);
        },
      },
    },
  });
}

const eventOf = ({ params }: FastifyRequest): string => (params as { event: string }).event;
const pathOf = (request: FastifyRequest): string => pathOfEvent(appIdOf(request), eventOf(request));

async function sendEvent(service: Service, reply: FastifyReply, { session, csrf }: Visitor, outcome: FormOutcome) {
  const { request } = reply;
  const own = await showEvent(service, asDeveloper(session), appIdOf(request), eventOf(request));
  const notice = parameter(request.query, 'done') === 'test' ? 'Sent.' : outcome.notice;
  return sendConsolePage(reply, eventPage({ ...own, csrf, notice }));
}

async function sendEvents(service: Service, reply: FastifyReply, { session }: Visitor): Promise<FastifyReply> {
  const { request } = reply;
  const { query } = request;
  const typed: TypedSearch = {
    type: typeIn(query),
    request: parameter(query, 'request')?.trim() ?? '',
    from: dayIn(query, 'from'),
    to: dayIn(query, 'to'),
  };
  const before = eventIdIn(query, 'before');
  const shown = await showEvents(service, asDeveloper(session), appIdOf(request), {
    type: typed.type,
    requestId: typed.request || null,
    from: typed.from ? new Date(typed.from) : null,
    to: typed.to ? new Date(Date.parse(typed.to) + DAY_MS) : null,
    before,
  });
  return sendConsolePage(reply, eventsPage({ ...shown, typed, isLater: before !== null }));
}

/** A day of the form 2026-01-31; empty if there is none. */
function dayIn(query: unknown, name: string): string {
  const text = parameter(query, name) ?? '';
  return isDay(text) ? text : '';
}

function testHandler(service: Service) {
  return async (request: FastifyRequest, reply: FastifyReply, { session, csrf }: Visitor) => {
    const developer = asDeveloper(session);
    const appId = appIdOf(request);
    const type = typeIn(request.body);
    const endpoint = parameter(request.body, 'endpoint') ?? null;
    if (!type) throw new Problem('not-found', 'There is no such type of event.');
    const send = () => sendTestEvent(service, developer, appId, { type, endpoint });
    const sent = await catchRefusal(send, 'too-many-tries');
    if (!(sent instanceof Problem)) return reply.redirect(`${pathOfEvent(appId, sent.id)}?done=test`, 303);
    const webhooks = await showWebhooks(service, developer, appId);
    return sendConsolePage(reply.code(sent.status), webhooksPage({ ...webhooks, csrf, notice: sent.message }));
  };
}
