import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Service } from '../usecases/service.ts';
import { isOwnForm, parameter } from './arrival.ts';
import { FOREIGN_FORM, messageForStatus } from './message-page.ts';
import { openField } from './sealed-field.ts';
import { sendMessage } from './send.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** A form of somebody who is not signed in: taken from our own pages only. */
export function ownForm({ publicUrl, security }: Service, handler: Handler): Handler {
  return async (request, reply) => {
    if (isOwnForm(request.headers, publicUrl)) return handler(request, reply);
    security.note('foreign-form');
    return sendMessage(request, reply, FOREIGN_FORM, []);
  };
}

/**
 * The next form of a way over several pages: from our own pages, with what the page before it has sealed in the field `flow`.
 *
 * `context`: what it was sealed for. `take` is also given the field as it came, for a form that is shown again: what it proves does
 * not last longer by being sent. `ancestors`: who may frame the page that says it took too long; nobody, unless said.
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
