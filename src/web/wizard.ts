import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '../settlement/service.ts';
import { FOREIGN_FORM, messageForStatus } from './message-page.ts';
import { isOwnForm, parameter } from './request-parameters.ts';
import { openField } from './sealed-field.ts';
import { sendMessage } from './send.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** For a form of a visitor who is not signed in: it is taken from our own pages only. */
export function ownForm({ publicUrl, security }: Service, handler: Handler): Handler {
  return async (request, reply) => {
    if (isOwnForm(request.headers, publicUrl)) return handler(request, reply);
    security.note('foreign-form');
    return sendMessage(request, reply, FOREIGN_FORM, []);
  };
}

/**
 * The next form of a wizard: it must come from our own pages, with the state that the page before sealed in the field `flow`.
 *
 * `context`: what the state was sealed for. `take` also gets the field as it came, for a form that is shown again, so that sending
 * it does not extend its life. `ancestors`: who may frame the page about an expired form. Without it: nobody.
 */
export function nextStep<Flow extends object>(
  service: Service,
  context: string,
  take: (request: FastifyRequest, reply: FastifyReply, flow: Flow, sealed: string) => Promise<unknown>,
  ancestors?: (request: FastifyRequest) => Promise<readonly string[]>,
): Handler {
  return ownForm(service, async (request, reply) => {
    const sealed = parameter(request.body, 'flow') ?? '';
    const flow = openField<Flow>(service.vault, context, sealed);
    if (flow) return take(request, reply, flow, sealed);
    return sendMessage(request, reply, messageForStatus(401), (await ancestors?.(request)) ?? []);
  });
}
