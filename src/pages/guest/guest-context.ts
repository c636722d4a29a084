import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { appIdFrom } from '../../base/ids.ts';
import {
  type Conversion,
  type Converted,
  findConversion,
  type RefusedConversion,
  repeatConversion,
} from '../../features/guests/convert-guest.ts';
import { chooseRedirectUri } from '../../identity/app-addresses.ts';
import { type App, lookUpLivingApp } from '../../identity/apps.ts';
import type { Service } from '../../service/service.ts';
import { arrivingBrowser, signBrowserIn } from '../../web/known-browsers.ts';
import type { AnswerAgain } from '../../web/language-choice.ts';
import type { Page } from '../../web/layout.ts';
import { frameIdOf, isFramed, parameter } from '../../web/request-parameters.ts';
import { formTargets, resultAddress, sendFailure } from '../../web/result-delivery.ts';
import { type PageHeaders, pageHeaders, sendMessage, sendPage } from '../../web/send-page.ts';
import { type DoneWords, faultMessage, guestDonePage, noGuestPage, type PageFault } from './guest-pages.ts';

/** What the steps of a guest's pages share. */
export type Wizard = {
  readonly service: Service;
  /** Of its first page. The forms are sent to paths below. */
  readonly path: string;
};

export const STEP_MINUTES = 60;

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
  /** The page is in our own window, which our frame has opened. */
  readonly openedBy?: 'frame';
};

/** After a code was sent to `email`. */
export type SentFlow = GuestFlow & { readonly email: string; readonly codeId: string };

/** After the code sent to `email` was entered. */
export type ProvedFlow = GuestFlow & { readonly email: string };

/** What the field of the last step is sealed for, so that an earlier one cannot pass for it. */
export const PROVED = 'guest conversion, e-mail address proved';

export function tokenHashOf({ tokenHash }: Pick<GuestFlow, 'tokenHash'>): Buffer {
  return Buffer.from(tokenHash, 'base64url');
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
function challengeFault(codeChallenge: string | undefined, { publicClient }: App): PageFault | null {
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
  /** The query that replaces the one with the guest's token (`web/request-parameters.ts`). */
  readonly cleanQuery?: string | undefined;
};

/**
 * Checks all that every step checks again, then takes it. `refused`: what answers if the guest can no longer be converted with this token.
 */
export async function takeFlow<Flow extends GuestFlow>(
  service: Service,
  { request, reply, flow }: Pick<GuestContext<Flow>, 'request' | 'reply' | 'flow'>,
  take: (context: GuestContext<Flow>) => Promise<FastifyReply>,
  refused: (refused: RefusedConversion) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const conversion = await findConversion(service, flow.appId, tokenHashOf(flow));
  if (conversion.kind === 'refused') return refused(conversion);
  const { app } = conversion;
  const fault = challengeFault(flow.codeChallenge, app);
  if (fault) return explain(request, reply, fault, app, flow.frameId);
  const target = targetOf(request, flow, app);
  if (target === undefined) return explain(request, reply, 'redirect-not-registered', app, flow.frameId);
  return take({ request, reply, flow, conversion, target });
}

/** Where the code goes. Null: the page itself delivers it. Undefined: the given address is not registered. */
export function targetOf(request: FastifyRequest, flow: GuestFlow, app: App): string | null | undefined {
  const choice = chooseRedirectUri(app.redirectUris, flow.redirectUri);
  if (choice.kind === 'not-registered') return undefined;
  // A game that named its frame or popup waits for a message, and one that frames us for a call: we redirect only if it said so.
  const waits = flow.frameId !== undefined || flow.openedBy !== undefined || isFramed(request.headers);
  return choice.kind === 'none' || (flow.redirectUri === undefined && waits) ? null : choice.uri;
}

/** `passkeys`: the page's script makes one. */
export function show(
  { reply, conversion, target, cleanQuery }: GuestContext,
  status: number,
  page: Page,
  { passkeys = false, again }: Pick<PageHeaders, 'passkeys' | 'again'> = {},
): Promise<FastifyReply> {
  const { frameAncestors, redirectUris } = conversion.app;
  const targets = target === null ? [] : formTargets(target, redirectUris);
  return sendPage(reply.code(status), page, {
    frameAncestors,
    formTargets: targets,
    opener: true,
    script: true,
    passkeys,
    cleanQuery,
    again,
  });
}

/** Gives the game its code. In a frame nobody is signed in on our pages, so `done` has no session there. */
export async function deliverGuestResult(
  service: Service,
  { request, reply, flow }: Pick<GuestContext, 'request' | 'reply' | 'flow'>,
  app: App,
  done: Converted,
  says: DoneWords = request.words.guest.converted,
): Promise<FastifyReply> {
  const target = targetOf(request, flow, app) ?? null;
  const forOurFrame = flow.openedBy === 'frame';
  const stays = target === null || forOurFrame;
  const headers = { frameAncestors: app.frameAncestors, script: stays, opener: true, again: answerAgain(request) };
  if (done.session !== null) await signBrowserIn(service, reply, done.session);
  const { code } = done;
  const redirect = target === null ? undefined : resultAddress(target, { success: true, code }, flow.state);
  if (redirect !== undefined && !forOurFrame) return reply.headers(pageHeaders(headers)).redirect(redirect, 303);
  const state = flow.state !== undefined && { state: flow.state };
  const result = { code, success: true, ...state };
  return sendPage(
    reply,
    guestDonePage(request.words, { result, app, frameId: flow.frameId, forOurFrame, redirect }, says),
    headers,
  );
}

export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { fault, app }: RefusedConversion,
  frameId: string | undefined,
): Promise<FastifyReply> {
  if (fault !== 'already-full' && fault !== 'merged') return explain(request, reply, fault, app, frameId);
  const headers = { frameAncestors: app?.frameAncestors ?? [], opener: true, again: answerAgain(request) };
  return sendPage(reply.code(409), noGuestPage(request.words, fault, isFramed(request.headers)), headers);
}

/** Shows the fault's own page, never a redirect, and tells the app's frame too. */
export function explain(
  request: FastifyRequest,
  reply: FastifyReply,
  fault: PageFault,
  app: App | null,
  frameId: string | undefined,
): Promise<FastifyReply> {
  const message = faultMessage(request.words, fault);
  return app
    ? sendFailure(request, reply, message, { app, frameId, reason: fault, again: answerAgain(request) })
    : sendMessage(request, reply, message, []);
}

/** The form that was sent here, which shows its answer again. Undefined: the page has an address, or its form names one. */
export function answerAgain({ method, url, body }: FastifyRequest): AnswerAgain | undefined {
  if (method !== 'POST' || parameter(body, 'page') !== undefined) return undefined;
  const [action = ''] = url.split('?', 1);
  return { action, hidden: { flow: parameter(body, 'flow'), client_id: parameter(body, 'client_id'), inline: 'true' } };
}

/** Repeats the result of a conversion that this flow has finished; refuses any other flow. */
export async function repeatOrRefuse(
  service: Service,
  context: Pick<GuestContext, 'request' | 'reply' | 'flow'>,
  refused: RefusedConversion,
): Promise<FastifyReply> {
  const { request, reply, flow } = context;
  const done = await repeatConversion(service, { flowId: flow.id, signIn: signInOf(service, request) });
  if (done && refused.app) return deliverGuestResult(service, context, refused.app, done);
  return refuse(request, reply, refused, flow.frameId);
}

/** Who may frame a page whose flow cannot be read. Which app is named, and where it is framed, is no secret. */
export async function namedAncestors({ db }: Service, form: unknown): Promise<readonly string[]> {
  const clientId = parameter(form, 'client_id') ?? '';
  const appId = appIdFrom(clientId);
  return (appId && (await lookUpLivingApp(db, appId))?.frameAncestors) ?? [];
}

/** How a player recognises the passkey that this browser made. */
export function browserOf(service: Service, request: FastifyRequest): string {
  return arrivingBrowser(service, request).browser ?? request.words.passkeys.unnamed;
}

/** Null in a frame, where nobody is signed in. */
export function signInOf(service: Service, request: FastifyRequest) {
  return isFramed(request.headers) ? null : arrivingBrowser(service, request);
}
