import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { type Access, listAccess } from '../../features/accounts/connected-games.ts';
import { CHECK_PATH } from '../../features/credentials/reset-password.ts';
import { listPasskeys, type Passkey } from '../../identity/passkeys.ts';
import type { Service } from '../../settlement/service.ts';
import { layout, type Markup } from '../../web/layout.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { safeReturn, signedIn, type Visitor } from '../../web/visitor.ts';
import { appName, day, noticeOf } from './account-frame.ts';
import { signOutOfGamesForm } from './connected-games.ts';
import { REMOVE_ALL_HINT, removeAllForm } from './passkeys.ts';

type Found = { readonly passkeys: readonly Passkey[]; readonly accesses: readonly Access[] };

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
        const [passkeys, accesses] = await Promise.all([
          listPasskeys(service.db, visitor.user.id),
          listAccess(service, visitor.user),
        ]);
        return show(service, request, reply, visitor, { passkeys, accesses });
      },
      { fresh: true },
    ),
  );
}

function show(service: Service, request: FastifyRequest, reply: FastifyReply, visitor: Visitor, found: Found) {
  const returnTo = safeReturn(parameter(request.query, 'return_to'), service.publicUrl);
  const title = found.passkeys.length + found.accesses.length > 0 ? 'Check your account' : 'You’re all set';
  const main = html`<main><h1>${title}</h1>
${noticeOf(request)}
${found.passkeys.length > 0 && passkeySection(visitor, request.url, found.passkeys)}
${found.accesses.length > 0 && gameSection(visitor, request.url, found.accesses)}
<p class="actions"><a class="primary" href="${returnTo}">${returnTo === '/account' ? 'Go to your account' : 'Continue'}</a></p>
</main>`;
  const inline = isInline(request.query);
  // A game's window may have led here through a forgotten password.
  return sendPage(reply, layout({ inline, nav: true }, title, main), { opener: true });
}

function passkeySection(visitor: Visitor, page: string, passkeys: readonly Passkey[]): Markup {
  return html`<section>
<h2>Passkeys</h2>
<p>Anyone with one of these can sign in. If one isn’t yours, remove them all.</p>
<ul>${passkeys.map(({ name, createdAt }) => html`<li><bdi>${name}</bdi>, added on ${day(createdAt)}</li>`)}</ul>
<p class="hint">${REMOVE_ALL_HINT}</p>
${removeAllForm(visitor, page)}
</section>`;
}

function gameSection(visitor: Visitor, page: string, accesses: readonly Access[]): Markup {
  return html`<section>
<h2>Games</h2>
<p>${accesses.length === 1 ? 'This game has' : 'These games have'} access to your account.</p>
<ul>${accesses.map(({ app, consent }) => html`<li>${appName(app)}${consent && html`, since ${day(consent.grantedAt)}`}</li>`)}</ul>
${signOutOfGamesForm(visitor, page)}
</section>`;
}
