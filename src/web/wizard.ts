import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Vault } from '../custody/vault.ts';
import type { Service } from '../service/service.ts';
import { onlyShows } from './language-choice.ts';
import { messageForStatus } from './message-page.ts';
import { parameter } from './request-parameters.ts';
import { sendMessage } from './send-page.ts';

/**
 * Seals the state of an anonymous flow over several pages, for a hidden field. Nobody else can read or forge it, and it is valid
 * for `minutes`. It can be sent many times, so a step that must happen once is guarded where it happens.
 */
export function sealField(vault: Vault, context: string, value: object, minutes: number): string {
  const text = JSON.stringify({ value, expiresAt: Date.now() + minutes * 60_000 });
  return vault.seal(Buffer.from(text), context).toString('base64url');
}

/** Null: it was sealed for another `context`, was altered, or is too old. */
export function openField<T extends object>(vault: Vault, context: string, field: string | undefined): T | null {
  if (field === undefined) return null;
  let text: string;
  try {
    text = vault.unseal(Buffer.from(field, 'base64url'), context).toString();
  } catch {
    return null;
  }
  const { value, expiresAt } = JSON.parse(text) as { value: T; expiresAt: number };
  return expiresAt > Date.now() ? value : null;
}

/** Takes the form of one step. `sealed`: its state as it came. */
export type TakeForm<Flow extends object> = (
  request: FastifyRequest,
  reply: FastifyReply,
  flow: Flow,
  sealed: string,
) => Promise<unknown>;

/**
 * The next form of a wizard: it must hold the state that the page before sealed in the field `flow`.
 *
 * `context`: what the state was sealed for. `take` also gets the field as it came, for a form that is shown again, so that sending
 * it does not extend its life. `show`: shows the form again and takes nothing. `ancestors`: who may frame the page about an expired form.
 * Without it: nobody.
 */
export function nextStep<Flow extends object>(
  service: Service,
  context: string,
  take: TakeForm<Flow>,
  {
    show,
    ancestors,
  }: { show?: TakeForm<Flow>; ancestors?: (request: FastifyRequest) => Promise<readonly string[]> } = {},
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    const sealed = parameter(request.body, 'flow') ?? '';
    const flow = openField<Flow>(service.vault, context, sealed);
    if (flow) return (show && onlyShows(request) ? show : take)(request, reply, flow, sealed);
    return sendMessage(request, reply, messageForStatus(request.words, 401), (await ancestors?.(request)) ?? []);
  };
}
