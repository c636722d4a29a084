import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../../../base/problems.ts';
import type { ActionField } from '../../../../features/operator-actions/declaration.ts';
import { DECLARED_ACTIONS, declaredAction } from '../../../../features/operator-actions/declarations.ts';
import { performAction } from '../../../../features/operator-actions/perform-action.ts';
import { previewFor } from '../../../../features/operator-actions/read-actions.ts';
import type { ActingOperator } from '../../../../features/operators/operators.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { Visitor } from '../../../../web/visitor.ts';
import { confirmPage, PERFORM_PATH } from './confirm-page.ts';
import { type ActionValues, actionForm, askedFields, PREPARE_PATH } from './forms.ts';

/**
 * GET /operator/issue and …/reward show forms. POST …/actions/prepare shows what a form will do, and asks. POST …/actions/perform does
 * it, once for each form.
 */
export function performRoutes(operators: OperatorRoutes, service: Service): void {
  for (const { name: kind, title, page } of DECLARED_ACTIONS) {
    if (!page) continue;
    const show = async (_request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
      const form = actionForm(visitor, page.path, { kind, button: 'Continue' });
      const content = html`<section class="card">${form}</section>`;
      return sendConsolePage(reply, operatorPage(visitor, 'actions', { title, content }));
    };
    operators.get(page.path, { fresh: true }, show);
  }
  operators.post(PREPARE_PATH, { fresh: true, action: 'act as an operator' }, (...of) => prepare(service, ...of));
  operators.post(
    PERFORM_PATH,
    { fresh: true, action: 'act as an operator' },
    async (request, reply, visitor, operator) => {
      const form = formOf(request);
      if (!form) return sendUnknown(reply, visitor);
      const { kind, params, reason, id } = form;
      try {
        const { action } = await performAction(service, operator, { id, kind, params, reason });
        return reply.redirect(`/operator/actions/${action.id}`, 303);
      } catch (error) {
        return sendRefusal(reply, visitor, form, error);
      }
    },
  );
  for (const path of [PREPARE_PATH, PERFORM_PATH]) {
    // The address bar shows this path while a form is confirmed.
    operators.get(path, { isUnlisted: true }, async (_request, reply) => reply.redirect('/operator/actions', 303));
  }
}

async function prepare(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  visitor: Visitor,
  operator: ActingOperator,
): Promise<FastifyReply> {
  const form = formOf(request);
  if (!form) return sendUnknown(reply, visitor);
  const { kind, title, params, reason, id, page } = form;
  try {
    const preview = await previewFor(service, operator, kind, params);
    const fields = { ...params, action: id, kind, reason };
    return await sendConsolePage(reply, confirmPage({ visitor, title, preview, fields, page }));
  } catch (error) {
    return sendRefusal(reply, visitor, form, error);
  }
}

/** An action of another release, or one that the console does not offer, such as paying a file. */
function sendUnknown(reply: FastifyReply, visitor: Visitor): Promise<FastifyReply> {
  const content = html`<section class="card"><p class="notice bad" role="alert">There is no such action.</p>
<p><a class="secondary" href="/operator/actions">Go back</a></p></section>`;
  return sendConsolePage(reply.code(404), operatorPage(visitor, 'actions', { title: 'Nothing was done', content }));
}

/** A refusal that the operator can do something about: the form again, or the page it came from. Other errors are thrown. */
function sendRefusal(reply: FastifyReply, visitor: Visitor, form: ActionSent, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  const asked = new Map(askedFields(form.kind, form.known));
  const input = error.faults[0]?.pointer.slice(1) ?? '';
  const isAtField = input === 'reason' || (asked.has(input) && !asked.get(input)?.options);
  const isForm = form.isOwnPage || isAtField || asked.has(input);
  const given = { ...form.params, reason: form.reason };
  const content = html`<section class="card">
${!isAtField && html`<p class="notice bad" role="alert">${sentence(error, asked)}</p>`}
${isForm && actionForm(visitor, form.page, { ...form, given, button: 'Continue', refused: isAtField ? { input, text: sentence(error, asked) } : undefined })}
${!form.isOwnPage && html`<p><a class="secondary" href="${form.page}">Go back</a></p>`}
</section>`;
  const title = isForm ? form.title : 'Nothing was done';
  return sendConsolePage(reply.code(error.status), operatorPage(visitor, 'actions', { title, content }));
}

/** Names a field as the form does: `The quarters must be …`. `fields`: by the names of their inputs. */
function sentence({ message, faults }: Problem, fields: ReadonlyMap<string, ActionField>): string {
  const [fault] = faults;
  if (!fault) return message;
  const name = fault.pointer.slice(1);
  const field = fields.get(name);
  const said = field?.input ? field.ask : field?.label;
  return `The ${said?.toLowerCase() ?? name} ${fault.detail}.`;
}

type ActionSent = NonNullable<ReturnType<typeof formOf>>;

/** What a form sends; null for an action that the console does not offer. */
function formOf({ body }: FastifyRequest) {
  const sent = (name: string) => parameter(body, name) ?? '';
  const valuesOf = (names: readonly string[]): ActionValues =>
    Object.fromEntries(names.filter((name) => parameter(body, name) !== undefined).map((name) => [name, sent(name)]));
  const kind = sent('kind');
  const action = declaredAction(kind);
  if (!action?.forms) return null;
  const { title, fields, forms } = action;
  const page = /^\/operator\/[\w/-]*$/.test(sent('page')) ? sent('page') : '/operator/actions';
  const isOwnPage = page === action.page?.path;
  return {
    ...{ kind, title, page, isOwnPage, id: sent('action'), reason: sent('reason') },
    params: valuesOf(Object.entries(fields).flatMap(([name, { input = name }]) => [name, input])),
    known: isOwnPage ? {} : valuesOf(forms.map(({ on, knows = on }) => knows)),
  };
}
