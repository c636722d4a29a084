import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { App } from '../identity/apps.ts';
import type { Words } from '../words/words.ts';
import { RESULT_SCRIPT } from './assets.ts';
import type { AnswerAgain } from './language-choice.ts';
import { layout, type Markup } from './layout.ts';
import { messageBody, type PageMessage } from './message-page.ts';
import { isInline } from './request-parameters.ts';
import { sendPage } from './send-page.ts';
import { backTo, wayBack } from './way-back.ts';

/** What a page delivers to the game around it, or to the game that opened its window. */
export type ResultDelivery = {
  readonly result: ResultFields;
  /** Only this app's pages get it. */
  readonly app: Pick<App, 'id' | 'name' | 'resultOrigins' | 'frameAncestors'>;
  /** The game's name for the frame, sent back with the message. */
  readonly frameId?: string | undefined;
  /** This is our own window, opened by our frame. The frame gets the result and passes it on. */
  readonly forOurFrame?: boolean;
  /** Where the player goes if no game's window waits for a message. */
  readonly redirect?: string | undefined;
};

/**
 * Attributes for a page's `main`, from which `RESULT_SCRIPT` delivers the result, once per page view. A page with a result looks
 * like this:
 *
 *     const main = html`<main${deliveryAttributes({ result: { code, success: true }, app, frameId })}>…`;
 *     const headers = { frameAncestors: app.frameAncestors, script: true, opener: true };
 *     sendPage(reply, layout(frame, title, main, RESULT_SCRIPT.path), headers);
 *
 * with `frameId: frameIdOf(request.query)`. A form in between carries it on as the hidden field `frame_id`.
 */
export function deliveryAttributes({ result, app, frameId, forOurFrame, redirect }: ResultDelivery): Markup {
  return html` data-result="${JSON.stringify(result)}"${audienceAttributes(app, frameId)}${
    forOurFrame && html` data-for-our-frame`
  }${redirect !== undefined && html` data-redirect="${redirect}"`}`;
}

/** Attributes for a page that is seen for a moment before its script goes to the address, which holds the result. */
export function leavingAttributes(redirect: string): Markup {
  return html` data-redirect="${redirect}"`;
}

/** The way back from a page that delivers a result. */
export function wayBackOf(words: Words, { app, redirect, forOurFrame }: Omit<ResultDelivery, 'result'>): Markup {
  return wayBack(words, { app, address: forOurFrame ? undefined : redirect });
}

/**
 * Ends a form whose answer leads to a game. BUSY_SCRIPT shows it in place of the rest of the form if the page stays: an app's own scheme
 * opens beside it, and only if the player agrees. `again`: an address that leads to the game once more. Without it, the form itself is
 * sent again.
 */
export function afterSending(words: Words, app: Pick<App, 'name'>, says: string, again?: string): Markup {
  const label = backTo(words, app);
  return html`<div class="after">
<p class="notice" role="status">${says}</p>
${again === undefined ? html`<button class="primary">${label}</button>` : html`<a class="primary" href="${again}">${label}</a>`}
</div>`;
}

/** Who may get the result, for a frame whose window decides and which does not know the result yet. */
export function audienceAttributes(app: Omit<ResultDelivery['app'], 'name'>, frameId: string | undefined): Markup {
  return html` data-app="${app.id}" data-origins="${resultTargets(app).join(' ')}"${frameId !== undefined && html` data-frame-id="${frameId}"`}`;
}

/**
 * The targets (`targetOrigin`) of a result's message: the app's result origins or, if it has none, the origins that may frame us.
 *
 * An app with pages of its own uses a scheme such as `app:` or `capacitor:`. Browsers can name these only with a host, so the
 * shells' default host is used. A page from `file:` has the origin `null`. Every attacker's sandboxed frame has it too, so it is
 * never a target.
 */
export function resultTargets({
  resultOrigins,
  frameAncestors,
}: Pick<App, 'resultOrigins' | 'frameAncestors'>): string[] {
  const origins = resultOrigins.length > 0 ? resultOrigins : frameAncestors;
  return origins
    .filter((origin) => origin !== 'file:')
    .map((origin) => (origin.endsWith(':') ? `${origin}//localhost` : origin));
}

/** A game that learns what went wrong. */
export type Failure = Pick<ResultDelivery, 'app' | 'redirect'> & {
  readonly frameId?: string | undefined;
  readonly requestId?: string | undefined;
  /** A word for programs, in kebab-case. quarters.d.ts lists them. */
  readonly reason?: string | undefined;
  /** Nothing was decided by this, or nobody knows yet. */
  readonly undecided?: true;
  /** Shows the page that the player has sent from. */
  readonly again?: AnswerAgain | undefined;
};

/** Answers with a page that says what is wrong, and tells the game too: by a message, and at its address once the player goes there. */
export function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  message: PageMessage,
  { app, requestId, reason, undecided, redirect, again, ...channel }: Failure,
): Promise<FastifyReply> {
  const result = {
    ...(requestId !== undefined && { requestId }),
    error: `${message.title}. ${message.text}`,
    ...(reason !== undefined && { reason }),
    ...(undecided && { undecided }),
  };
  const inline = isInline(request.method === 'POST' ? request.body : request.query);
  const back = { app, address: redirect === undefined ? undefined : resultAddress(redirect, result) };
  const main = html`<main${deliveryAttributes({ result, app, ...channel })}>${messageBody(request.words, { ...message, back }, reply.server.shell)}</main>`;
  return sendPage(reply.code(message.status), layout({ inline }, message.title, main, RESULT_SCRIPT.path), {
    frameAncestors: app.frameAncestors,
    script: true,
    opener: true,
    again,
    refuses: true,
  });
}

/** A result for the game, in the fields of the public interface. */
export type ResultFields = Readonly<Record<string, string | boolean>>;

/**
 * The registered redirect address with the result in its query. `state`: the game's value, returned unchanged (RFC 6749, section
 * 4.1.2).
 *
 * It is built by hand, because a URL parser would rewrite addresses such as `com.acme.game://`, which clients compare as text.
 * Everything but printable ASCII is percent-encoded, so that nothing in it can end the header.
 */
export function resultAddress(registered: string, result: ResultFields, state?: string): string {
  const fields = Object.entries(result).map(
    ([name, value]) => `${name}=${encodeURIComponent(splittable(String(value)))}`,
  );
  if (state !== undefined) fields.push(`state=${encodeURIComponent(state.toWellFormed())}`);
  const joint = !registered.includes('?') ? '?' : /[?&]$/.test(registered) ? '' : '&';
  const address = registered.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
  return `${address}${joint}${fields.join('&')}`;
}

/**
 * Shipped clients decode the whole query before they split it, so a value cannot contain `?`, `&` or `=`. A value in base64url
 * (codes, proofs) is never shortened.
 */
function splittable(value: string): string {
  if (/^[\w.-]+$/.test(value)) return value;
  return value
    .toWellFormed()
    .replace(/[?&=#%+\p{C}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
    .toWellFormed();
}

/**
 * The CSP sources (form-action) that let a form redirect to this address: its scheme.
 *
 * Its origin would not be enough, because Chromium applies form-action to every hop of a redirect. If the game's site redirects to
 * another site or into its own app, the player would stay on our page. It would look as if nothing had happened, although quarters
 * have moved. So a web address also allows the private-use schemes that the app has registered (`others`).
 */
export function formTargets(registered: string, others: readonly string[]): readonly string[] {
  const { protocol } = new URL(registered);
  const own = others.map((uri) => new URL(uri).protocol).filter((scheme) => !isWeb(scheme));
  return [...new Set(isWeb(protocol) ? [protocol, ...own] : [protocol])];
}

function isWeb(scheme: string): boolean {
  return scheme === 'https:' || scheme === 'http:';
}
