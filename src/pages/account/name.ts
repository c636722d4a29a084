import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { changeName } from '../../features/accounts/profile.ts';
import type { Service } from '../../settlement/service.ts';
import { field } from '../../web/fields.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { changed, form, sendAccountPage } from './account-frame.ts';

const PATH = '/account/name';

export function nameRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (_request, reply, visitor) => ask(reply, visitor, visitor.user.displayName)),
  );
  pages.post(
    PATH,
    signedIn(service, async (request, reply, visitor) => {
      const name = parameter(request.body, 'name') ?? '';
      const refusal = await catchInvalidInput(() => changeName(service, visitor.user.id, name));
      return refusal ? ask(reply.code(400), visitor, name, refusal.message) : changed(reply, 'name');
    }),
  );
}

function ask(reply: FastifyReply, visitor: Visitor, value: string, error?: string) {
  const content = html`${field({
    name: 'name',
    label: 'Display name',
    value,
    error,
    maxlength: 80,
    autocomplete: 'nickname',
    hint: 'Shown in games. A nickname is fine. 1 to 40 characters.',
  })}
<button class="primary">Change name</button>`;
  return sendAccountPage(reply, 'Change your display name', form(visitor, PATH, PATH, content));
}
