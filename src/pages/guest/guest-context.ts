import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Converted } from '../../features/guests/convert-guest.ts';
import type { Conversion, Refused } from '../../features/guests/open-conversion.ts';
import { chooseRedirectUri } from '../../identity/app-addresses.ts';
import type { App } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { sendFailure } from '../../web/delivery.ts';
import { pageHeaders } from '../../web/headers.ts';
import { signBrowserIn } from '../../web/known-browsers.ts';
import type { Markup } from '../../web/layout.ts';
import { isFramed } from '../../web/request-parameters.ts';
import { formTargets, resultAddress } from '../../web/result-address.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import type { GuestFlow } from './guest-arrival.ts';
import { FAULT_MESSAGES, type PageFault } from './guest-faults.ts';
import { alreadyFullPage, guestDonePage } from './guest-pages.ts';

/** One checked step of a guest's conversion. */
export type Visit<Flow extends GuestFlow = GuestFlow> = {
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

export function show({ reply, conversion, target }: Visit, status: number, page: Markup): Promise<FastifyReply> {
  const { frameAncestors, redirectUris } = conversion.app;
  const targets = target === null ? [] : formTargets(target, redirectUris);
  return sendPage(
    reply.code(status).headers(pageHeaders({ frameAncestors, formTargets: targets, opener: true, script: true })),
    page,
  );
}

/** Gives the game its code. In a frame nobody is signed in on our pages, so `done` has no session there. */
export async function deliver(
  service: Service,
  { request, reply, flow }: Pick<Visit, 'request' | 'reply' | 'flow'>,
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
  { fault, app }: Refused,
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
