import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { changeName } from '../../features/accounts/profile.ts';
import type { Service } from '../../service/service.ts';
import { field } from '../../web/fields.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { refusalText } from '../../words/words.ts';
import { card, changed, form, sendAccountPage } from './account-frame.ts';

const PATH = '/account/name';

export function nameRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => ask(reply, visitor, visitor.user.displayName)),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const name = parameter(request.body, 'name') ?? '';
        const refusal = await catchInvalidInput(() => changeName(service, visitor.user.id, name));
        return refusal
          ? ask(reply.code(400), visitor, name, refusalText(request.words, refusal))
          : changed(reply, 'name');
      },
      { action: ({ continueForm }) => continueForm.rename },
    ),
  );
}

function ask(reply: FastifyReply, visitor: Visitor, value: string, error?: string) {
  const says = reply.request.words.account.name;
  const content = html`${field({
    name: 'name',
    label: says.label,
    value,
    error,
    maxlength: 80,
    autocomplete: 'nickname',
    hint: says.hint,
  })}
<button class="primary">${says.submit}</button>`;
  return sendAccountPage(reply, says.title, card(form(visitor, PATH, PATH, content)));
}
