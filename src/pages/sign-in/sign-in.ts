import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import type { FrameOffer } from '../../features/approvals/open-approval.ts';
import { offerPasskeyUse, signInUse, signInWithPasskey } from '../../features/credentials/passkey-use.ts';
import { signIn } from '../../features/sessions/sign-in.ts';
import { isSignedInByLinkOnly, SIGN_IN_LINK_COMMAND } from '../../features/sessions/sign-in-link.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import type { Service } from '../../service/service.ts';
import { PASSKEY_SCRIPT, PASSWORD_SCRIPT } from '../../web/assets.ts';
import { quoted } from '../../web/branding.ts';
import { field, hidden } from '../../web/fields.ts';
import { CONTINUE_PATH } from '../../web/form-drafts.ts';
import { icon } from '../../web/icons.ts';
import { answerOf } from '../../web/json-scope.ts';
import { arrivingBrowser, knownBrowsers, signBrowserIn } from '../../web/known-browsers.ts';
import { type Frame, layout, type Markup, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { catchRefusal } from '../../web/page-scope.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { afterSending } from '../../web/result-delivery.ts';
import { sendPage } from '../../web/send-page.ts';
import { readVisitor, safeReturn, type Visitor } from '../../web/visitor.ts';
import { refusalText, type Words } from '../../words/words.ts';
import { paymentOfReturn } from '../approval/payment-of-return.ts';
import { gameOfReturn, type ReturnToGame, returnTargets } from '../oauth/interaction-address.ts';

export type SignInPage = Frame & {
  readonly returnTo: string;
  /** The address of a signed-in user who must confirm it is them; undefined: nobody is signed in. */
  readonly again: string | undefined;
  /** Somebody who is signed in chooses an account. */
  readonly any: boolean;
  /** The game that sent the player here, if one did. */
  readonly game: ReturnToGame | null;
  /** The payment to decide after signing in, if there is one. */
  readonly payment: FrameOffer | null;
  /** A sign-in link is the only way to confirm it: in development mode, for the owner of the demo app. */
  readonly byLinkOnly: boolean;
  /** Nobody is signed in, and a sign-in link would help. */
  readonly hintsAtLink: boolean;
  readonly email?: string | undefined;
  readonly error?: Markup | string;
};

function signInPage(words: Words, page: SignInPage): Page {
  const texts = words.signIn;
  const { again, game, payment, error } = page;
  const title = again === undefined ? texts.title : texts.again;
  if (page.byLinkOnly) return confirmByLinkPage(words, page, title);
  return layout(
    page,
    title,
    html`<main>${pageHead(words, title, again === undefined ? {} : { sign: 'lock' })}
${again !== undefined && html`<p>${texts.againText}</p>`}
${page.returnTo.startsWith(CONTINUE_PATH) && html`<p>${texts.kept}</p>`}
${game && html`<p>${texts.toGame(quoted(words, game.app.name))}</p>`}
${payment && html`<p>${texts.toPay(quoted(words, payment.app.name), html`<strong>${words.quarters(payment.request.amount)}</strong>`)}</p>`}
${error && html`<p class="notice bad" role="alert">${error}</p>`}
${passwordForm(words, page)}
${passkeyForm(words, page)}
${links(words, page)}
${page.hintsAtLink && html`<p class="hint">${texts.byLink.hint(html`<code>${SIGN_IN_LINK_COMMAND}</code>`)}</p>`}
</main>`,
    PASSKEY_SCRIPT.path,
    PASSWORD_SCRIPT.path,
  );
}

/** The link opens a new session in this browser, so that the page to return to then finds a recent sign-in. */
function confirmByLinkPage(words: Words, page: SignInPage, title: string): Page {
  const texts = words.signIn;
  return layout(
    page,
    title,
    html`<main>${pageHead(words, title, { sign: 'lock' })}
<p>${texts.byLink.confirmText}</p>
<p><code class="secret">${SIGN_IN_LINK_COMMAND}</code></p>
<p class="actions"><a class="primary" href="${page.returnTo}">${texts.continue}</a></p>
</main>`,
  );
}

function passwordForm(words: Words, page: SignInPage): Markup {
  const { fields } = words;
  const texts = words.signIn;
  const { again, email } = page;
  return html`<form method="post" action="/sign-in">
${carried(page)}
${field({
  name: 'email',
  label: fields.email,
  type: 'email',
  autocomplete: 'username',
  value: again ?? email,
  fixed: again !== undefined,
})}
${field({ name: 'password', label: fields.password, type: 'password', autocomplete: 'current-password' })}
<button class="primary">${again === undefined ? texts.submit : texts.continue}</button>
${afterSignIn(words, page)}
</form>`;
}

/** Hidden without JavaScript or passkeys. */
function passkeyForm(words: Words, page: SignInPage): Markup {
  return html`<form id="passkey" data-passkey="use" data-options="/passkeys/sign-in/options" data-answer="/passkeys/sign-in" hidden>
${carried(page)}
<button class="secondary">${icon('fingerprint')}${words.signIn.passkey}</button>
<p class="error" role="alert" hidden></p>
${afterSignIn(words, page)}
</form>`;
}

/** Replaces the form once it was sent, if it leads straight to a game that has consent. */
function afterSignIn(words: Words, { game }: SignInPage): Markup | false {
  return game?.again !== undefined && afterSending(words, game.app, words.messages.continueInGame, game.again);
}

function carried({ returnTo, again, any, inline }: SignInPage): Markup {
  return html`${hidden('return_to', returnTo)}${again !== undefined && hidden('again', 'true')}${any && hidden('any', 'true')}${inline && hidden('inline', 'true')}`;
}

function links({ signIn: texts }: Words, { returnTo, again, any, inline }: SignInPage): Markup {
  const query = queryOf({ returnTo, any, inline });
  return html`<p><a href="/forgot?${query}">${texts.forgot}</a></p>
${again === undefined && html`<p>${texts.noAccount(html`<a href="/sign-up?${query}">${texts.create}</a>`)}</p>`}`;
}

function queryOf({ returnTo, any, inline }: Pick<SignInPage, 'returnTo' | 'any' | 'inline'>): URLSearchParams {
  return new URLSearchParams({ return_to: returnTo, ...(any && { any: 'true' }), ...(inline && { inline: 'true' }) });
}

/** A new password needs no old one, so it helps whoever does not know theirs, and whoever must not try any more. */
function tooMany(words: Words, refusal: Problem, where: Pick<SignInPage, 'returnTo' | 'any' | 'inline'>): Markup {
  const texts = words.signIn;
  return texts.tooMany(refusalText(words, refusal), html`<a href="/forgot?${queryOf(where)}">${texts.newPassword}</a>`);
}

/**
 * GET /sign-in asks, POST /sign-in takes the password and redirects to `return_to`. `again`: a signed-in user confirms it is them. `any`: a
 * signed-in user chooses an account.
 */
export function signInRoutes(server: FastifyInstance, service: Service): void {
  server.get('/sign-in', async (request, reply) => {
    const { returnTo, again, any, visitor } = await readSignInParameters(service, request, request.query);
    if (visitor && !again && !any) return reply.redirect(returnTo, 303);
    return ask(request, reply);
  });

  const check = async (request: FastifyRequest, reply: FastifyReply) => {
    const { words } = request;
    const { returnTo, again, any } = await readSignInParameters(service, request, request.body);
    const email = again?.user.email ?? parameter(request.body, 'email') ?? '';
    const typed = {
      email,
      password: parameter(request.body, 'password') ?? '',
      client: clientAddress(request),
      ...arrivingBrowser(service, request),
      knownBrowsers: knownBrowsers(service, request),
    };
    const session = await catchRefusal(() => signIn(service, typed), 'too-many-tries');
    if (session instanceof Problem) {
      const error = tooMany(words, session, { returnTo, any, inline: isInline(request.body) });
      return ask(request, reply.code(session.status), { email, error });
    }
    if (session === null) return ask(request, reply.code(422), { email, error: words.signIn.wrong });
    await signBrowserIn(service, reply, session);
    return reply.redirect(returnTo, 303);
  };

  server.post('/sign-in', check);

  async function ask(request: FastifyRequest, reply: FastifyReply, refused?: Pick<SignInPage, 'email' | 'error'>) {
    const parameters = request.method === 'POST' ? request.body : request.query;
    const { returnTo, again, any } = await readSignInParameters(service, request, parameters);
    const [game, payment] = await Promise.all([gameOfReturn(service, returnTo), paymentOfReturn(service, returnTo)]);
    const formTargets = returnTargets(game);
    // The address the app knows (OpenID Connect Core, section 3.1.2.1) is only a suggestion: the player may change it.
    const email = parameter(parameters, 'login_hint');
    const inline = isInline(parameters);
    const byLinkOnly = again !== null && (await isSignedInByLinkOnly(service, again.user));
    const hintsAtLink = service.development && again === null && /^\/(?:developer|continue)\b/.test(returnTo);
    const shown = { inline, returnTo, any, again: again?.user.email, game, payment, byLinkOnly, hintsAtLink, email };
    return sendPage(reply, signInPage(request.words, { ...shown, ...refused }), {
      formTargets,
      passkeys: true,
      opener: true,
    });
  }
}

type SignInParameters = {
  readonly returnTo: string;
  readonly visitor: Visitor | null;
  /** The visitor, if they are asked to confirm it is them. */
  readonly again: Visitor | null;
  readonly any: boolean;
};

async function readSignInParameters(
  service: Service,
  request: FastifyRequest,
  parameters: unknown,
): Promise<SignInParameters> {
  const visitor = await readVisitor(service, request);
  const again = parameter(parameters, 'again') === 'true' ? visitor : null;
  const any = parameter(parameters, 'any') === 'true';
  return { returnTo: safeReturn(parameter(parameters, 'return_to'), service.publicUrl), visitor, again, any };
}

/** The script of the sign-in page gets a challenge, and sends what the passkey signed. JSON in, JSON out. */
export function passkeySignInRoutes(server: FastifyInstance, service: Service): void {
  server.post('/passkeys/sign-in/options', async (request) => {
    const { again } = await readSignInParameters(service, request, request.body);
    return offerPasskeyUse(service, signInUse(again?.session ?? null), clientAddress(request));
  });

  server.post('/passkeys/sign-in', async (request, reply) => {
    const { again, returnTo } = await readSignInParameters(service, request, request.body);
    const session = await signInWithPasskey(service, answerOf(request), {
      again: again?.session ?? null,
      ...arrivingBrowser(service, request),
    });
    if (session === null) return refuse(reply);
    await signBrowserIn(service, reply, session);
    return { go: returnTo };
  });
}

function refuse(reply: FastifyReply) {
  return reply.code(422).send({ message: reply.request.words.signIn.wrongPasskey });
}
