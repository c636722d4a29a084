import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Vault } from '../../custody/vault.ts';
import type { Conversion, ConversionFault, Converted, RefusedConversion } from '../../features/guests/convert-guest.ts';
import { chooseRedirectUri } from '../../identity/app-addresses.ts';
import type { App } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { frameIdOf, sendFailure } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { signBrowserIn } from '../../web/known-browsers.ts';
import type { Markup } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { isFramed, parameter } from '../../web/request-parameters.ts';
import { formTargets, resultAddress } from '../../web/result-address.ts';
import { openField, sealField } from '../../web/sealed-field.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import { alreadyFullPage, guestDonePage } from './guest-pages.ts';

/** Each fault has its own page, which helps the game's developer as well as its player. */
export type PageFault =
  | Exclude<ConversionFault, 'already-full'>
  | 'no-token'
  | 'wrong-parameters'
  | 'redirect-not-registered'
  | 'no-challenge'
  | 'wrong-challenge'
  | 'state-too-long';

const GO_BACK = 'Nothing was changed: you are still a guest. Go back to the game and try again.';

const FAULT_MESSAGES: Readonly<Record<PageFault, PageMessage>> = {
  'unknown-app': {
    status: 400,
    title: 'We don’t know this game',
    text: `The link doesn’t name a registered game (client_id). ${GO_BACK}`,
  },
  'no-token': {
    status: 400,
    title: 'The link is incomplete',
    text: `It doesn’t say which guest you are (token). ${GO_BACK}`,
  },
  'dead-token': {
    status: 401,
    title: 'This link has expired',
    text: 'Its guest key is unknown or too old. Nothing was changed. Go back to the game and try again.',
  },
  'foreign-token': {
    status: 403,
    title: 'This guest belongs to another game',
    text: 'The guest key in the link is for a different game. Nothing was changed. Open this page from the game you play as a guest.',
  },
  'page-token': {
    status: 400,
    title: 'The game sent the wrong key',
    text: `Its link has a key that only opens payments (firebase_token). This page needs the guest’s access token. ${GO_BACK}`,
  },
  'wrong-parameters': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `Its link must include response_type=code and inline=true. ${GO_BACK}`,
  },
  'redirect-not-registered': {
    status: 400,
    title: 'The game gave a wrong address',
    text: `It asked us to send you to an address it hasn’t registered (redirect_uri), so we stopped. ${GO_BACK}`,
  },
  'no-challenge': {
    status: 400,
    title: 'The link is incomplete',
    text: `This game cannot keep a secret, so its link must include a code_challenge. ${GO_BACK}`,
  },
  'wrong-challenge': {
    status: 400,
    title: 'The game opened this page incorrectly',
    text: `The code_challenge in its link must have 43 characters and use the method S256. ${GO_BACK}`,
  },
  'state-too-long': {
    status: 400,
    title: 'The link is too long',
    text: `Its state is longer than 2000 characters. ${GO_BACK}`,
  },
};

/** The part of the page's address that is sealed and passed from step to step: the token's hash, never the token itself. */
export type GuestFlow = {
  /** A secret, new each time the page is opened. */
  readonly id: string;
  readonly appId: string;
  /** base64url */
  readonly tokenHash: string;
  /** As given in the address. */
  readonly redirectUri?: string;
  readonly state?: string;
  readonly codeChallenge?: string;
  /** The game's name for the frame it opened us in. */
  readonly frameId?: string;
};

/** After a code was sent to `email`. */
export type SentFlow = GuestFlow & { readonly email: string; readonly codeId: string };

/** After the code sent to `email` was entered. */
export type ProvedFlow = GuestFlow & { readonly email: string };

/** The parameter that replaces `token` in the address, so that the page can be reloaded. */
export const SEALED_TOKEN = 'sealed_token';
const CONTEXT = 'guest conversion, address';

/**
 * Stands for a guest's access token on this page only, for `minutes`. It does not contain the flow: each page view starts a new flow,
 * and a flow's secret lets the browser that finished it get the code again.
 */
export function sealToken(vault: Vault, tokenHash: Uint8Array, minutes: number): string {
  return sealField(vault, CONTEXT, { tokenHash: Buffer.from(tokenHash).toString('base64url') }, minutes);
}

/** The token's hash; null: it was not sealed here, or is too old. */
export function openToken(vault: Vault, sealed: string | undefined): Uint8Array | null {
  const opened = openField<{ tokenHash: string }>(vault, CONTEXT, sealed);
  return opened && Buffer.from(opened.tokenHash, 'base64url');
}

/** How one shipped client garbles `inline=true&response_type=code`. */
const GARBLED_INLINE = 'trueresponse_type=code';

const MAX_STATE = 2000;

/** Starts the flow from the page's parameters. `app`: the one they name. `tokenHash`: of the guest's token. */
export function beginFlow(query: unknown, app: App, tokenHash: Uint8Array): GuestFlow | PageFault {
  const named = (name: string) => parameter(query, name);
  const inline = named('inline');
  const garbled = inline === GARBLED_INLINE && named('response_type') === undefined;
  if (!garbled && (inline !== 'true' || named('response_type') !== 'code')) return 'wrong-parameters';

  const [codeChallenge, method] = [named('code_challenge'), named('code_challenge_method')];
  const fault = challengeFault(codeChallenge, app);
  if (fault) return fault;
  // Without a method it would be `plain` (RFC 7636, section 4.3), which protects little.
  if ((codeChallenge ?? method) !== undefined && (method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge ?? ''))) {
    return 'wrong-challenge';
  }
  const [redirectUri, state, frameId] = [named('redirect_uri'), named('state'), frameIdOf(query)];
  if (state !== undefined && state.length > MAX_STATE) return 'state-too-long';
  return {
    id: randomUUID(),
    appId: app.id,
    tokenHash: Buffer.from(tokenHash).toString('base64url'),
    ...(redirectUri !== undefined && { redirectUri }),
    ...(state !== undefined && { state }),
    ...(codeChallenge !== undefined && { codeChallenge }),
    ...(frameId !== undefined && { frameId }),
  };
}

/** A client without a secret must use PKCE to prove that the code is its own (RFC 7636). */
export function challengeFault(codeChallenge: string | undefined, { publicClient }: App): PageFault | null {
  return publicClient && codeChallenge === undefined ? 'no-challenge' : null;
}

/** One checked step of a guest's conversion. */
export type GuestContext<Flow extends GuestFlow = GuestFlow> = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly flow: Flow;
  readonly conversion: Conversion;
  /** The address the code is redirected to; null: the page itself delivers it. */
  readonly target: string | null;
  /** The query that replaces the one with the guest's token (`web/clean-query.ts`). */
  readonly cleanQuery?: string | undefined;
};

/** Where the code goes. Null: the page itself delivers it. Undefined: the given address is not registered. */
export function targetOf(request: FastifyRequest, flow: GuestFlow, app: App): string | null | undefined {
  const choice = chooseRedirectUri(app.redirectUris, flow.redirectUri);
  if (choice.kind === 'not-registered') return undefined;
  // A game that named its frame or popup waits for a message, and one that frames us for a call: we redirect only if it said so.
  const waits = flow.frameId !== undefined || isFramed(request.headers);
  return choice.kind === 'none' || (flow.redirectUri === undefined && waits) ? null : choice.uri;
}

export function show({ reply, conversion, target }: GuestContext, status: number, page: Markup): Promise<FastifyReply> {
  const { frameAncestors, redirectUris } = conversion.app;
  const targets = target === null ? [] : formTargets(target, redirectUris);
  return sendPage(
    reply.code(status).headers(pageHeaders({ frameAncestors, formTargets: targets, opener: true, script: true })),
    page,
  );
}

/** Gives the game its code. In a frame nobody is signed in on our pages, so `done` has no session there. */
export async function deliverGuestResult(
  service: Service,
  { request, reply, flow }: Pick<GuestContext, 'request' | 'reply' | 'flow'>,
  app: App,
  done: Converted,
): Promise<FastifyReply> {
  const target = targetOf(request, flow, app) ?? null;
  reply.headers(pageHeaders({ frameAncestors: app.frameAncestors, script: target === null, opener: true }));
  if (done.session !== null) await signBrowserIn(service, request, reply, done.session);
  const { code } = done;
  if (target !== null) return reply.redirect(resultAddress(target, { success: true, code }, flow.state), 303);
  const state = flow.state !== undefined && { state: flow.state };
  return sendPage(reply, guestDonePage({ result: { code, success: true, ...state }, app, frameId: flow.frameId }));
}

export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { fault, app }: RefusedConversion,
  frameId: string | undefined,
): Promise<FastifyReply> {
  if (fault !== 'already-full') return explain(request, reply, fault, app, frameId);
  const headers = pageHeaders({ frameAncestors: app?.frameAncestors ?? [], opener: true });
  return sendPage(reply.code(409).headers(headers), alreadyFullPage(isFramed(request.headers)));
}

/** Shows the fault's own page, never a redirect, and tells the app's frame too. */
export function explain(
  request: FastifyRequest,
  reply: FastifyReply,
  fault: PageFault,
  app: App | null,
  frameId: string | undefined,
): Promise<FastifyReply> {
  const message = FAULT_MESSAGES[fault];
  return app ? sendFailure(request, reply, message, { app, frameId }) : sendMessage(request, reply, message, []);
}
