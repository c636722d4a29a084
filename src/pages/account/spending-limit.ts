import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { AppId } from '../../base/ids.ts';
import type { Problem } from '../../base/problems.ts';
import {
  changeSpendingLimit,
  readSpendingLimit,
  type SpendingLimit,
  type TypedAmounts,
} from '../../features/accounts/spending-limit.ts';
import type { Service } from '../../service/service.ts';
import { branding } from '../../web/branding.ts';
import { field, hidden } from '../../web/fields.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { parameter } from '../../web/request-parameters.ts';
import { signedIn, type Visitor } from '../../web/visitor.ts';
import { entryFault } from '../../words/words.ts';
import { card, changed, form, sendAccountPage } from './account-frame.ts';

const GAMES_PATH = '/account/apps';
const PATH = `${GAMES_PATH}/limit`;

/** The page on which a player chooses how much one game may take without asking. */
export function spendingLimitPath(appId: AppId): string {
  return `${PATH}?app=${appId}`;
}

/** GET /account/apps/limit asks, POST changes it. Both lead to the list if the game has to ask every time. */
export function spendingLimitRoutes(pages: FastifyInstance, service: Service): void {
  const read = (parameters: FastifyRequest['query'], { user }: Visitor) =>
    readSpendingLimit(service, user, parameter(parameters, 'app'));

  pages.get(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const limit = await read(request.query, visitor);
        return limit ? ask(reply, visitor, limit) : reply.redirect(GAMES_PATH, 303);
      },
      { fresh: true },
    ),
  );
  pages.post(
    PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const limit = await read(request.body, visitor);
        if (!limit) return reply.redirect(GAMES_PATH, 303);
        const [perTransfer = '', perDay = ''] = FIELDS.map((name) => parameter(request.body, name));
        const typed = { perTransfer, perDay };
        const refusal = await catchInvalidInput(() => changeSpendingLimit(service, visitor.user, limit, typed));
        return refusal ? ask(reply.code(400), visitor, limit, typed, refusal) : changed(reply, 'limit', GAMES_PATH);
      },
      { fresh: true, action: ({ continueForm }) => continueForm.changeLimit },
    ),
  );
}

const FIELDS = ['perTransfer', 'perDay'] as const;

function ask(reply: FastifyReply, visitor: Visitor, limit: SpendingLimit, typed?: TypedAmounts, refusal?: Problem) {
  const { words } = reply.request;
  const says = words.account.limitChange;
  const { app, now, most } = limit;
  const labels = { perTransfer: says.perPayment, perDay: says.perDay };
  const amounts = FIELDS.map((name) =>
    field({
      name,
      label: labels[name],
      inputmode: 'numeric',
      autocomplete: 'off',
      maxlength: 24,
      value: typed ? typed[name] : words.number(now[name]),
      hint: says.most(words.quarters(most[name])),
      error: entryFault(words, refusal, `/${name}`),
    }),
  );
  const content = html`${branding(words, app, { heads: true })}
<p>${says.intro}</p>
${form(
  visitor,
  PATH,
  spendingLimitPath(app.id),
  html`${hidden('app', app.id)}${amounts}
<button class="primary">${says.submit}</button>`,
)}`;
  return sendAccountPage(reply, says.title, card(content));
}
