import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { mergeGuest, repeatMerge } from '../../features/guests/merge-guest.ts';
import { foldEmail } from '../../identity/users.ts';
import { messageForStatus } from '../../web/message-page.ts';
import { parameter } from '../../web/request-parameters.ts';
import { formTargets } from '../../web/result-delivery.ts';
import { sendMessage, sendPage } from '../../web/send-page.ts';
import { readVisitor, signedInRoutes, signInAddress, type Visitor } from '../../web/visitor.ts';
import { nextStep, openField, sealField } from '../../web/wizard.ts';
import {
  deliverGuestResult,
  type GuestContext,
  type ProvedFlow,
  refuse,
  STEP_MINUTES,
  takeFlow,
  tokenHashOf,
  type Wizard,
} from './guest-context.ts';
import { guestMergePage, type MergePaths, otherAccountPage } from './guest-merge-pages.ts';

const TAKEN = 'guest conversion, e-mail address has an account';

/** Like the page's other address, these are good for an hour. They do nothing without a sign-in to the account of the address. */
export function mergePaths(
  { service, path }: Wizard,
  flow: ProvedFlow,
  more: Readonly<Record<string, string>> = {},
): MergePaths {
  const { frameId: _, ...withoutFrame } = flow;
  const to = (sealed: ProvedFlow) =>
    `${path}/merge?${new URLSearchParams({
      flow: sealField(service.vault, TAKEN, sealed, STEP_MINUTES),
      ...more,
    })}`;
  return { mergePath: to(flow), windowPath: to({ ...flow, openedBy: 'frame' }), tabPath: to(withoutFrame) };
}

type MergeStep = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly flow: ProvedFlow };

/**
 * GET {signup_url}/guest/merge asks the signed-in owner of the e-mail address whether the guest's quarters move to their account; POST moves
 * them. Both are for top level only, since nobody is signed in inside a frame, and nobody decides there.
 */
export function mergeRoutes(server: FastifyInstance, wizard: Wizard): void {
  const { service, path } = wizard;
  const visitors = signedInRoutes(server, service);
  server.get(`${path}/merge`, async (request, reply) => {
    const flow = openField<ProvedFlow>(service.vault, TAKEN, parameter(request.query, 'flow'));
    if (!flow) return sendMessage(request, reply, messageForStatus(request.words, 401), []);
    const visitor = await readVisitor(service, request);
    if (visitor) return takeAs(wizard, { request, reply, flow }, visitor, ask);
    const hint = new URLSearchParams({ login_hint: flow.email });
    return reply.redirect(`${signInAddress(request.url, false)}&${hint}`, 303);
  });
  visitors.post(`${path}/merge`, (request, reply, visitor) =>
    nextStep<ProvedFlow>(service, TAKEN, (_request, _reply, flow) =>
      takeAs(wizard, { request, reply, flow }, visitor, merge),
    )(request, reply),
  );
}

type Take = (wizard: Wizard, context: GuestContext<ProvedFlow>, visitor: Visitor) => Promise<FastifyReply>;

/** Only the owner of the proved address goes on: a link that somebody else has made leads nobody to give a game access. */
async function takeAs(wizard: Wizard, step: MergeStep, visitor: Visitor, take: Take): Promise<FastifyReply> {
  const { service } = wizard;
  const { request, reply, flow } = step;
  if (foldEmail(visitor.user.email) !== foldEmail(flow.email)) {
    return sendPage(reply.code(403), otherAccountPage(request.words, visitor.user.email, flow.email), { opener: true });
  }
  return takeFlow(
    service,
    step,
    (context) => take(wizard, context, visitor),
    async (refused) => {
      const done = refused.app && (await repeatMerge(service, { flowId: flow.id, into: visitor.user }));
      return done
        ? deliverGuestResult(service, step, refused.app!, done, request.words.guest.merged)
        : refuse(request, reply, refused, flow.frameId);
    },
  );
}

const ask: Take = async ({ path }, { request, reply, conversion, flow, target }, visitor) => {
  const page = guestMergePage(request.words, {
    conversion,
    visitor,
    action: `${path}/merge`,
    flow: parameter(request.query, 'flow') ?? '',
    page: request.url,
    redirects: target !== null && flow.openedBy === undefined,
  });
  const targets = target === null ? [] : formTargets(target, conversion.app.redirectUris);
  return sendPage(reply, page, { formTargets: targets, opener: true });
};

const merge: Take = async (wizard, context, visitor) => {
  const { service } = wizard;
  const { flow, conversion, target } = context;
  const { app, guest } = conversion;
  const result = await mergeGuest(service, {
    appId: app.id,
    userId: guest.id,
    tokenHash: tokenHashOf(flow),
    flowId: flow.id,
    redirectUri: target,
    codeChallenge: flow.codeChallenge,
    into: visitor.user,
    session: visitor.session,
  });
  if (result.kind === 'converted')
    return deliverGuestResult(service, context, app, result, context.request.words.guest.merged);
  // Another form was faster: this time the check finds what it did.
  return takeAs(wizard, context, visitor, async () => {
    throw new Problem('overloaded', 'The guest could not be merged at this moment.');
  });
};
