import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { AppId } from '../../base/ids.ts';
import { signOut } from '../../features/sessions/sign-out.ts';
import { findRedirectUri } from '../../identity/app-addresses.ts';
import { type App, findApp } from '../../identity/apps.ts';
import type { Service } from '../../settlement/service.ts';
import { RESULT_SCRIPT } from '../../web/assets.ts';
import { branding } from '../../web/branding.ts';
import { deliveryAttributes, frameIdOf, type ResultDelivery, sendFailure } from '../../web/delivery.ts';
import { hidden } from '../../web/fields.ts';
import { pageHeaders } from '../../web/headers.ts';
import { layout, type Markup } from '../../web/layout.ts';
import type { PageMessage } from '../../web/message-page.ts';
import { isFramed, isInline, parameter } from '../../web/request-parameters.ts';
import { formTargets, resultAddress } from '../../web/result-address.ts';
import { sendMessage, sendPage } from '../../web/send.ts';
import { clearSessionCookie, readVisitor, sessionCookie, signedIn, type Visitor } from '../../web/visitor.ts';
import { ownWindowPage } from '../approval/own-window.ts';
import { UNKNOWN_GAME } from './framed.ts';

const PATH = '/logout';

const WRONG_ADDRESS: PageMessage = {
  status: 400,
  title: 'The game gave a wrong address',
  text: 'It asked us to send you to an address it hasn’t registered, so we stopped. Nothing was changed.',
};

/** A checked logout request of a game. */
type Visit = {
  readonly app: App;
  readonly inline: boolean;
  /** The registered address to which the player is redirected afterwards. */
  readonly named: string | undefined;
  readonly frameId: string | undefined;
  readonly forOurFrame: boolean;
};

/**
 * GET /logout, as existing clients call it: with `client_id` and one of `frame_id` and `redirect_uri`. We ask first, at top level, so
 * that no page can sign a player out unseen. Logout ends our own session in this browser, and no game's access. The game gets
 * `success=true` or `cancel=true`.
 */
export function logoutRoutes(server: FastifyInstance, service: Service): void {
  server.get(PATH, async (request, reply) => {
    const visit = await readVisit(service, request, reply, request.query);
    if (!visit) return reply;
    if (isFramed(request.headers)) return offerWindow(request, reply, visit);
    const visitor = await readVisitor(service, request);
    return visitor ? ask(reply, visit, visitor) : deliver(reply, visit, 'success');
  });

  const end = signedIn(service, async (request, reply) => {
    const visit = await readVisit(service, request, reply, request.body);
    if (!visit) return reply;
    if (parameter(request.body, 'decision') !== 'sign-out') return deliver(reply, visit, 'cancel');
    await signOut(service, sessionCookie(service, request)!);
    clearSessionCookie(service, reply);
    return deliver(reply, visit, 'success');
  });

  server.post(PATH, async (request, reply) => {
    if (await readVisitor(service, request)) return end(request, reply);
    // Already signed out in another tab: do not ask for a sign-in.
    const visit = await readVisit(service, request, reply, request.body);
    return visit ? deliver(reply, visit, 'success') : reply;
  });
}

/** Null: it was refused with a page that says why. */
async function readVisit(
  { db }: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  parameters: unknown,
): Promise<Visit | null> {
  const app = await findApp(db, (parameter(parameters, 'client_id') ?? '') as AppId);
  const [named, frameId] = [parameter(parameters, 'redirect_uri'), frameIdOf(parameters)];
  if (!app) {
    await sendMessage(request, reply, UNKNOWN_GAME, []);
    return null;
  }
  const redirect = named === undefined ? undefined : findRedirectUri(app.redirectUris, named);
  if (redirect === null) {
    await sendFailure(request, reply, WRONG_ADDRESS, { app, frameId });
    return null;
  }
  const forOurFrame = parameter(parameters, 'opened_by') === 'frame';
  return { app, inline: isInline(parameters), named: redirect, frameId, forOurFrame };
}

/** The parameters that the form or the window carries on. */
function carried({ app, inline, named, frameId, forOurFrame }: Visit): Record<string, string> {
  return {
    client_id: app.id,
    ...(inline && { inline: 'true' }),
    ...(named !== undefined && { redirect_uri: named }),
    ...(frameId !== undefined && { frame_id: frameId }),
    ...(forOurFrame && { opened_by: 'frame' }),
  };
}

function ask(reply: FastifyReply, visit: Visit, { user, csrf }: Visitor) {
  const { app, inline, named, forOurFrame } = visit;
  const targets = named === undefined || forOurFrame ? [] : formTargets(named, app.redirectUris);
  reply.headers(pageHeaders({ frameAncestors: [], formTargets: targets, opener: true }));
  const main = html`<main>
${branding(app)}
<h1>asks you to sign out of Quarters</h1>
<p>You are signed in as <strong>${user.email}</strong>. Games keep the access you gave them.</p>
<form method="post" action="${PATH}">
${Object.entries(carried(visit)).map(([name, value]) => hidden(name, value))}
${hidden('csrf', csrf)}
<button class="primary" name="decision" value="sign-out">Sign out</button>
<button class="secondary" name="decision" value="stay">Stay signed in</button>
</form>
</main>`;
  return sendPage(reply, layout({ inline }, 'Sign out', main));
}

function deliver(reply: FastifyReply, visit: Visit, outcome: 'success' | 'cancel') {
  const { app, inline, named, frameId, forOurFrame } = visit;
  const result = { [outcome]: true };
  const redirect = named === undefined ? undefined : resultAddress(named, result);
  if (redirect !== undefined && !forOurFrame) {
    return reply.headers(pageHeaders({ frameAncestors: [], opener: true })).redirect(redirect, 303);
  }
  reply.headers(pageHeaders({ frameAncestors: [], script: true, opener: true }));
  return sendPage(reply, donePage(inline, outcome, { result, app, frameId, forOurFrame, redirect }));
}

function donePage(inline: boolean, outcome: 'success' | 'cancel', delivery: ResultDelivery): Markup {
  const title = outcome === 'success' ? 'You are signed out' : 'You are still signed in';
  const main = html`<main${deliveryAttributes(delivery)}><h1>${title}</h1><p>You can go back to the game.</p></main>`;
  return layout({ inline }, title, main, RESULT_SCRIPT.path);
}

/** In a frame we do not see who is signed in, and the game around us could sign the player out unseen. */
function offerWindow(request: FastifyRequest, reply: FastifyReply, visit: Visit) {
  const { app, frameId } = visit;
  const { inline: _, frame_id: __, opened_by: ___, ...query } = carried(visit);
  const page = ownWindowPage({
    inline: isInline(request.query),
    title: 'Sign out',
    asks: 'asks you to sign out of Quarters',
    button: 'Continue to sign out',
    windowPath: `${PATH}?${new URLSearchParams({ ...query, opened_by: 'frame' })}`,
    tabPath: `${PATH}?${new URLSearchParams(query)}`,
    app,
    frameId,
  });
  return sendPage(reply.headers(pageHeaders({ frameAncestors: app.frameAncestors, script: true })), page);
}
