import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../../base/problems.ts';
import { appIdOf } from '../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../pages/consoles/console.ts';
import { asDeveloper, type Developer } from '../../../service/managers.ts';
import type { Service } from '../../../service/service.ts';
import type { Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../web/visitor.ts';

/** A form that was sent. `appId`: unchecked. */
export type SentForm = {
  readonly service: Service;
  readonly by: Developer;
  readonly appId: string;
  readonly request: FastifyRequest;
  readonly body: unknown;
};

type PageForm = {
  /** Completes the sentence "You were about to …". */
  readonly action: string;
  /** What the page says afterwards. */
  readonly notice?: string;
  /** False if it needs no recent sign-in: it gives rights up, or asks for something. */
  readonly fresh?: false;
  /** Resolves with where it leads, or a page to show at once; by default the page of the form. */
  readonly act: (form: SentForm) => Promise<string | Page> | Promise<void>;
};

/** What a form leaves on its page. */
export type FormOutcome<Refused = never> = {
  readonly notice?: string | undefined;
  readonly refused?: Refused | undefined;
};

type FormPage<Refused> = {
  /** As the router knows it. */
  readonly path: string;
  /** Its address. */
  readonly at: (request: FastifyRequest) => string;
  /** By the end of their path; empty for its own. */
  readonly forms: Readonly<Record<string, PageForm>>;
  readonly show: (
    service: Service,
    reply: FastifyReply,
    visitor: Visitor,
    outcome: FormOutcome<Refused>,
  ) => Promise<unknown>;
  /** What the page shows of a refusal; null if it is no page for it. */
  readonly refusal?: (problem: Problem, body: unknown) => FormOutcome<Refused> | null;
};

/** Adds a page of an app, and its forms. */
export function addFormPage<Refused>(
  visitors: SignedInRoutes,
  service: Service,
  { path, at, forms, show, refusal }: FormPage<Refused>,
): void {
  visitors.get(path, (request, reply, visitor) => {
    const done = parameter(request.query, 'done') ?? '';
    return show(service, reply, visitor, { notice: Object.hasOwn(forms, done) ? forms[done]!.notice : undefined });
  });
  for (const [verb, { action, notice, fresh = true, act }] of Object.entries(forms)) {
    const options = { fresh, action, ...(verb && { back: at }) };
    visitors.post(verb ? `${path}/${verb}` : path, options, async (request, reply, visitor) => {
      const { body } = request;
      try {
        const next = await act({ service, by: asDeveloper(visitor.session), appId: appIdOf(request), request, body });
        if (typeof next === 'object') return await sendConsolePage(reply, next);
        return reply.redirect(next ?? `${at(request)}${notice === undefined ? '' : `?done=${verb}`}`, 303);
      } catch (error) {
        const outcome = error instanceof Problem && refusal?.(error, body);
        if (!outcome) throw error;
        return show(service, reply.code(error.status), visitor, outcome);
      }
    });
  }
}
