import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { appIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { signOutOfGames, withdrawAccess, withdrawMandate } from '../../features/accounts/connected-games.ts';
import type { Service } from '../../service/service.ts';
import { type Access, listAccess } from '../../views/accounts/list-access.ts';
import { branding } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { gameName } from '../../web/game-text.ts';
import type { Markup } from '../../web/layout.ts';
import { parameter } from '../../web/request-parameters.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { card, changed, day, form, noticeOf, sendAccountPage } from './account-frame.ts';
import { spendingLimitPath } from './spending-limit.ts';

const PATH = '/account/apps';
const WITHDRAW_PATH = '/account/apps/withdraw';
const SIGN_OUT_PATH = '/account/apps/sign-out';

export function connectedGamesRoutes(pages: FastifyInstance, service: Service): void {
  pages.get(
    PATH,
    signedIn(service, async (request, reply, visitor) =>
      show(reply, visitor, noticeOf(request), await listAccess(service, visitor.user)),
    ),
  );
  pages.post(
    WITHDRAW_PATH,
    signedIn(
      service,
      async (request, reply, { user }) => {
        const app = parameter(request.body, 'app') ?? '';
        const what = parameter(request.body, 'what');
        const appId = appIdFrom(app);
        if (!appId) throw new Problem('invalid-input', 'No app was named.');
        if (what === 'access') await withdrawAccess(service, user.id, appId);
        else if (what === 'mandate') await withdrawMandate(service, user.id, appId);
        else throw new Problem('invalid-input', 'What to withdraw is missing.');
        return reply.redirect(PATH, 303);
      },
      { action: ({ continueForm }) => continueForm.removeGame },
    ),
  );
  pages.post(
    SIGN_OUT_PATH,
    signedIn(
      service,
      async (request, reply, { session }) => {
        await signOutOfGames(service, session);
        return changed(reply, 'games', safeReturn(parameter(request.body, 'page'), service.publicUrl));
      },
      { fresh: true, action: ({ continueForm }) => continueForm.removeGames },
    ),
  );
  for (const path of [WITHDRAW_PATH, SIGN_OUT_PATH]) {
    pages.get(path, { config: { isUnlisted: true } }, (_request, reply) => reply.redirect(PATH, 303));
  }
}

function show(reply: FastifyReply, visitor: Visitor, notice: Markup | null, accesses: readonly Access[]) {
  const { words } = reply.request;
  const says = words.account.gameList;
  const empty = card(html`<p>${says.none}</p>
<p class="hint">${says.noneHint}</p>`);
  const content =
    accesses.length === 0
      ? html`${notice}${empty}`
      : html`${notice}<p>${says.intro}</p>
${accesses.map((access) => card(game(words, visitor, access)))}
${accesses.length > 1 && card(signOutOfGamesForm(words, visitor, PATH), says.all)}`;
  return sendAccountPage(reply, says.title, content, { times: true });
}

/** `page`: where the form leads back to. */
export function signOutOfGamesForm({ account: { gameList: says } }: Words, visitor: Visitor, page: string): Markup {
  return html`<p class="hint">${says.signOutHint}</p>
${form(visitor, SIGN_OUT_PATH, page, html`<button class="secondary">${says.signOutOfAll}</button>`)}`;
}

function game(words: Words, visitor: Visitor, { app, consent, mandate }: Access): Markup {
  const says = words.account.gameList;
  const name = gameName(words, app.name);
  const button = (what: 'access' | 'mandate', label: string, spoken: string) =>
    form(
      visitor,
      WITHDRAW_PATH,
      PATH,
      html`${hidden('app', app.id)}${hidden('what', what)}<button class="secondary small" aria-label="${spoken}">${label}</button>`,
    );
  return html`${branding(words, app, { heads: true })}
${
  consent &&
  html`<p>${says.since(day(words, consent.grantedAt))}</p>
<ul>${consent.scopes.map((scope) => html`<li>${words.consent.scopes[scope]}</li>`)}</ul>`
}
${mandate && spendingLimit(words, mandate)}
<div class="buttons">${mandate && html`<a class="secondary small" href="${spendingLimitPath(app.id)}" aria-label="${says.changeLimitOf(name)}">${says.changeLimit}</a>`}${mandate && button('mandate', says.askEveryTime, says.askEveryTimeFor(name))}${consent && button('access', says.disconnect, says.disconnectFrom(name))}<a href="/account/activity?app=${app.id}" aria-label="${says.activityOf(name)}">${says.activity}</a></div>`;
}

function spendingLimit(
  words: Words,
  { maxPerTransfer, maxPerDay, spentToday, expiresAt }: NonNullable<Access['mandate']>,
): Markup {
  const says = words.account.gameList;
  const most = html`<strong>${says.limitAmounts(words.quarters(maxPerTransfer), words.number(maxPerDay))}</strong>`;
  const used = says.used(words.number(spentToday), words.quarters(maxPerDay));
  return html`<p>${says.limit(most, day(words, expiresAt))}</p>
<p class="hint">${used}</p>
<progress max="${maxPerDay}" value="${spentToday}" aria-label="${used}"></progress>`;
}
