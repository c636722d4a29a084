import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { toChecksum } from '../../base/address.ts';
import { CHECK_PATH } from '../../features/credentials/reset-password.ts';
import { mayWithdraw } from '../../features/withdrawals/addresses.ts';
import { listPasskeys, type Passkey } from '../../identity/passkeys.ts';
import { listWithdrawalAddresses, type WithdrawalAddress } from '../../identity/withdrawal-addresses.ts';
import type { Service } from '../../service/service.ts';
import { type Access, listAccess } from '../../views/accounts/list-access.ts';
import { LOCAL_TIME_SCRIPT } from '../../web/assets.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import type { Words } from '../../words/words.ts';
import { appName, card, day, noticeOf } from './account-frame.ts';
import { signOutOfGamesForm } from './connected-games.ts';
import { removeAllForm } from './passkeys.ts';
import { WITHDRAW_PATH } from './withdraw.ts';

type Found = {
  readonly passkeys: readonly Passkey[];
  readonly accesses: readonly Access[];
  readonly addresses: readonly WithdrawalAddress[];
};

/**
 * Lists passkeys and games that can use the account, with buttons to remove them, for an owner who has recovered it. A password
 * reset leads here, and its mail too. `return_to`: where the visitor was going.
 */
export function checkRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    CHECK_PATH,
    signedIn(
      service,
      async (request, reply, visitor) => {
        const [passkeys, accesses, addresses] = await Promise.all([
          listPasskeys(service.db, visitor.user.id),
          listAccess(service, visitor.user),
          mayWithdraw(service) ? listWithdrawalAddresses(service.db, visitor.user.id) : [],
        ]);
        return show(service, request, reply, visitor, { passkeys, accesses, addresses });
      },
      { fresh: true },
    ),
  );
}

function show(service: Service, request: FastifyRequest, reply: FastifyReply, visitor: Visitor, found: Found) {
  const { words } = request;
  const says = words.account.check;
  const returnTo = safeReturn(parameter(request.query, 'return_to'), service.publicUrl);
  const wide = found.passkeys.length + found.accesses.length + found.addresses.length > 0;
  const title = wide ? says.title : says.allSet;
  const main = html`<main${wide && html` class="account"`}><h1>${title}</h1>
${noticeOf(request)}
${found.passkeys.length > 0 && card(passkeySection(words, visitor, request.url, found.passkeys), words.account.passkeys)}
${found.accesses.length > 0 && card(gameSection(words, visitor, request.url, found.accesses), words.account.games)}
${found.addresses.length > 0 && card(addressSection(words, found.addresses), words.account.withdrawals.title)}
<p class="actions"><a class="primary" href="${returnTo}">${returnTo === '/account' ? says.goToAccount : says.proceed}</a></p>
</main>`;
  const inline = isInline(request.query);
  // A game's window may have led here through a forgotten password.
  return sendPage(reply, layout({ inline, nav: true, wide }, title, main, LOCAL_TIME_SCRIPT.path), {
    opener: true,
    script: true,
  });
}

function passkeySection(words: Words, visitor: Visitor, page: string, passkeys: readonly Passkey[]): Markup {
  const says = words.account.check;
  return html`<p>${says.passkeys}</p>
<ul>${passkeys.map(({ name, createdAt }) => html`<li>${says.passkey(html`<bdi>${name}</bdi>`, day(words, createdAt))}</li>`)}</ul>
${removeAllForm(words, visitor, page)}`;
}

function gameSection(words: Words, visitor: Visitor, page: string, accesses: readonly Access[]): Markup {
  const says = words.account.check;
  return html`<p>${says.games(accesses.length)}</p>
<ul>${accesses.map(({ app, consent }) => html`<li>${consent ? says.game(appName(words, app), day(words, consent.grantedAt)) : appName(words, app)}</li>`)}</ul>
${signOutOfGamesForm(words, visitor, page)}`;
}

function addressSection(words: Words, addresses: readonly WithdrawalAddress[]): Markup {
  const says = words.account.withdrawals;
  return html`<p>${says.check}</p>
<ul>${addresses.map(({ address }) => html`<li><code>${toChecksum(address)}</code></li>`)}</ul>
<p><a href="${WITHDRAW_PATH}">${says.manage}</a></p>`;
}
