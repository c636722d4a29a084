import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../../base/problems.ts';
import { actionKindNamed } from '../../../features/operator-actions/kinds.ts';
import { performAction } from '../../../features/operator-actions/perform-action.ts';
import { previewFor } from '../../../features/operator-actions/read-actions.ts';
import type { ActingOperator } from '../../../features/operators/operators.ts';
import type { Service } from '../../../service/service.ts';
import type { Page } from '../../../web/layout.ts';
import { parameter } from '../../../web/request-parameters.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { sendConsolePage } from '../../consoles/console.ts';
import { forOperators, operatorPage } from '../operator-frame.ts';
import { confirmPage, PERFORM_PATH } from './confirm-page.ts';
import { actionForm, PREPARE_PATH, recipientFields } from './forms.ts';

/** Fields of a form that are no parameters of its action. */
const OWN_FIELDS = new Set(['csrf', 'page', 'draft', 'action', 'kind', 'reason']);
/** A file is paid on the command line only, which has it. */
const NOT_HERE = new Set(['pay-file']);

/** A form that names its recipient itself, on a page of its own. */
const RECIPIENT_FORMS = {
  issue: { title: 'Issue quarters', who: 'recipient', label: 'Recipient (address, app id or user id)' },
  'grant-reward': { title: 'Grant a reward', who: 'user', label: 'Player (user id or address)' },
} as const;

const PAGES: Readonly<Record<keyof typeof RECIPIENT_FORMS, string>> = {
  issue: '/operator/issue',
  'grant-reward': '/operator/reward',
};

/**
 * GET /operator/issue and …/reward show forms. POST …/actions/prepare shows what a form will do, and asks. POST …/actions/perform does
 * it, once for each form.
 */
export function performRoutes(pages: FastifyInstance, service: Service): void {
  for (const [kind, path] of Object.entries(PAGES) as [keyof typeof RECIPIENT_FORMS, string][]) {
    pages.get(
      path,
      forOperators(service, async (_request, reply, visitor) => sendConsolePage(reply, formPage(visitor, kind, {})), {
        fresh: true,
      }),
    );
  }
  pages.post(
    PREPARE_PATH,
    forOperators(service, (...of) => prepare(service, ...of), { fresh: true, action: 'act as an operator' }),
  );
  pages.post(
    PERFORM_PATH,
    forOperators(
      service,
      async (request, reply, visitor, operator) => {
        const { kind, params, reason, id } = formOf(request);
        try {
          const { action } = await performAction(service, operator, { id, kind, params, reason });
          return reply.redirect(`/operator/actions/${action.id}`, 303);
        } catch (error) {
          return sendRefusal(request, reply, visitor, error);
        }
      },
      { fresh: true, action: 'act as an operator' },
    ),
  );
  for (const path of [PREPARE_PATH, PERFORM_PATH]) {
    // The address bar shows this path while a form is confirmed.
    pages.get(
      path,
      { config: { isUnlisted: true } },
      forOperators(service, async (_request, reply) => reply.redirect('/operator/actions', 303)),
    );
  }
}

async function prepare(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  operator: ActingOperator,
): Promise<FastifyReply> {
  const { kind, params, reason, id, page } = formOf(request);
  try {
    const preview = await previewFor(service, operator, kind, params);
    const { title } = actionKindNamed(kind);
    const fields = { ...params, action: id, kind, reason };
    return await sendConsolePage(reply, confirmPage({ visitor, title, preview, fields, page }));
  } catch (error) {
    return sendRefusal(request, reply, visitor, error);
  }
}

/** A refusal that the operator can do something about: the form again, or the page it came from. Other errors are thrown. */
function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  const { kind, params, reason, page } = formOf(request);
  const form = Object.keys(RECIPIENT_FORMS).find((name): name is keyof typeof RECIPIENT_FORMS => name === kind);
  const message = sentence(error);
  if (form && page === PAGES[form]) {
    const who = params[RECIPIENT_FORMS[form].who];
    return sendConsolePage(
      reply.code(error.status),
      formPage(visitor, form, { message, reason, who, quarters: params.quarters }),
    );
  }
  const content = html`<section class="card"><p class="notice bad" role="alert">${message}</p>
<p><a class="secondary" href="${page}">Go back</a></p></section>`;
  return sendConsolePage(
    reply.code(error.status),
    operatorPage(visitor, 'actions', { title: 'Nothing was done', content }),
  );
}

/** Problems name fields as the form does: `The quarters must be …`. */
function sentence({ message, faults }: Problem): string {
  const [fault] = faults;
  return fault ? `The ${fault.pointer.slice(1)} ${fault.detail}.` : message;
}

function formOf({ body }: FastifyRequest) {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields).filter((name) => !OWN_FIELDS.has(name));
  const params = Object.fromEntries(
    names.flatMap((name) => {
      const value = parameter(body, name);
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Record<string, string>;
  const kind = parameter(body, 'kind') ?? '';
  if (NOT_HERE.has(kind)) throw new Problem('not-found', 'There is no such action.');
  const page = parameter(body, 'page') ?? '';
  return {
    kind,
    params,
    reason: parameter(body, 'reason') ?? '',
    id: parameter(body, 'action') ?? '',
    page: /^\/operator\/[\w/-]*$/.test(page) ? page : '/operator/actions',
  };
}

type Given = {
  readonly message?: string;
  readonly reason?: string;
  readonly who?: string | undefined;
  readonly quarters?: string | undefined;
};

function formPage(visitor: Visitor, kind: keyof typeof RECIPIENT_FORMS, given: Given): Page {
  const { title, who, label } = RECIPIENT_FORMS[kind];
  const fields = recipientFields(who, label, given);
  const form = { kind, known: {}, name: kind, button: 'Continue', fields, reason: given.reason };
  const content = html`<section class="card">
${given.message && html`<p class="notice bad" role="alert">${given.message}</p>`}
${actionForm(visitor, PAGES[kind], form)}
</section>`;
  return operatorPage(visitor, 'actions', { title, content });
}
