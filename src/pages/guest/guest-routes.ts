import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { APP_ID_PATTERN, type AppId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import { redeemCode, sendCode } from '../../features/credentials/email-code.ts';
import {
  convertGuest,
  findConversion,
  openConversion,
  type RefusedConversion,
  repeatConversion,
} from '../../features/guests/convert-guest.ts';
import { findApp } from '../../identity/apps.ts';
import { emailFault, normaliseEmail } from '../../identity/email-address.ts';
import { findUserByEmail } from '../../identity/users.ts';
import type { Service } from '../../settlement/service.ts';
import { cleanQueryOf } from '../../web/clean-query.ts';
import { clientAddress } from '../../web/client-address.ts';
import { frameIdOf } from '../../web/delivery.ts';
import { messageForError, messageForStatus } from '../../web/message-page.ts';
import { isFramed, parameter } from '../../web/request-parameters.ts';
import { sealField } from '../../web/sealed-field.ts';
import { sendMessage } from '../../web/send.ts';
import { arrivingBrowser } from '../../web/visitor.ts';
import { nextStep } from '../../web/wizard.ts';
import { codeMail, readNewAccount, WRONG_CODE } from '../sign-up/account-forms.ts';
import {
  beginFlow,
  challengeFault,
  deliverGuestResult,
  explain,
  type GuestContext,
  type GuestFlow,
  openToken,
  type ProvedFlow,
  refuse,
  SEALED_TOKEN,
  type SentFlow,
  sealToken,
  show,
  targetOf,
} from './guest-context.ts';
import { type GuestStep, guestCodePage, guestFinishPage, guestPage, guestTakenPage } from './guest-pages.ts';

/** Each step has its own sealing context, so that its field cannot pass for a later one. */
const BEGUN = 'guest conversion, begun';
const SENT = 'guest conversion, code sent';
const PROVED = 'guest conversion, e-mail address proved';
const STEP_MINUTES = 60;

/**
 * GET {signup_url}/guest: a guest becomes a full user. The forms ask for an e-mail address, the code sent there, and a name and a
 * password; each is sent to a path below. A frame would get no cookie, so none is used: the token in the address opens the page, which
 * removes it from the address, and a sealed field carries its hash on. Every step checks everything again.
 */
export function guestRoutes(server: FastifyInstance, service: Service): void {
  const path = `${service.settings.signupPath ?? ''}/guest`;
  const seal = (context: string, flow: GuestFlow) => sealField(service.vault, context, flow, STEP_MINUTES);
  const stepOf = ({ request, conversion }: GuestContext, flow: string): GuestStep => ({
    conversion,
    path,
    flow,
    framed: isFramed(request.headers),
  });

  server.get(path, async (request, reply) => {
    const { query } = request;
    const [token, sealedToken] = [parameter(query, 'token'), parameter(query, SEALED_TOKEN)];
    const unsealed = token === undefined ? openToken(service.vault, sealedToken) : null;
    const clientId = parameter(query, 'client_id') ?? '';
    const frameId = frameIdOf(query);
    const conversion = unsealed
      ? await findConversion(service, clientId, unsealed)
      : await openConversion(service, clientId, token ?? '');
    if (conversion.kind === 'refused') {
      const none = (token ?? sealedToken) === undefined;
      if (none && conversion.app) return explain(request, reply, 'no-token', conversion.app, frameId);
      return refuse(request, reply, conversion, frameId);
    }
    const { app } = conversion;
    const tokenHash = unsealed ?? hashSecret(token ?? '');
    const flow = beginFlow(query, app, tokenHash);
    if (typeof flow === 'string') return explain(request, reply, flow, app, frameId);
    const target = targetOf(request, flow, app);
    if (target === undefined) return explain(request, reply, 'redirect-not-registered', app, frameId);
    const cleanQuery = cleanQueryOf(request, 'token', [
      SEALED_TOKEN,
      sealToken(service.vault, tokenHash, STEP_MINUTES),
    ]);
    const visit = { request, reply, flow, conversion, target, cleanQuery };
    return show(visit, 200, guestPage({ ...stepOf(visit, seal(BEGUN, flow)), cleanQuery }));
  });

  step<GuestFlow>('email', BEGUN, async (visit) => {
    const { request, flow } = visit;
    const email = normaliseEmail(parameter(request.body, 'email') ?? '');
    const error = emailFault(email);
    const begun = seal(BEGUN, flow);
    if (error !== null) return show(visit, 422, guestPage({ ...stepOf(visit, begun), email, error }));
    const client = clientAddress(request);
    const codeId = await sendCode(service, { purpose: 'sign-up', email, client, mail: codeMail });
    const sent: SentFlow = { ...flow, email, codeId };
    return show(visit, 200, guestCodePage({ ...stepOf(visit, seal(SENT, sent)), begun, email }));
  });

  step<GuestFlow>('again', BEGUN, (visit) => show(visit, 200, guestPage(stepOf(visit, seal(BEGUN, visit.flow)))));

  step<SentFlow>('code', SENT, async (visit, sealed) => {
    const { codeId, ...flow } = visit.flow;
    const { email, ...begun } = flow;
    const code = parameter(visit.request.body, 'code') ?? '';
    if (!(await redeemCode(service, { id: codeId, purpose: 'sign-up', code }))) {
      return show(
        visit,
        422,
        guestCodePage({ ...stepOf(visit, sealed), begun: seal(BEGUN, begun), email, error: WRONG_CODE }),
      );
    }
    if (await findUserByEmail(service.db, email)) return taken(visit, email, begun);
    return show(visit, 200, guestFinishPage({ ...stepOf(visit, seal(PROVED, flow)), email, errors: {} }));
  });

  step<ProvedFlow>('finish', PROVED, async (visit, sealed) => {
    const { request, reply, flow, conversion } = visit;
    const { email, ...begun } = flow;
    const account = await readNewAccount(request.body, email);
    if (account.kind === 'faulty') {
      return show(visit, 422, guestFinishPage({ ...stepOf(visit, sealed), ...account, email }));
    }
    const { app, guest } = conversion;
    const result = await convertGuest(service, {
      ...account,
      email,
      appId: app.id,
      userId: guest.id,
      tokenHash: tokenHashOf(flow),
      flowId: flow.id,
      redirectUri: visit.target,
      codeChallenge: flow.codeChallenge,
      signIn: signInOf(service, request),
      client: clientAddress(request),
    });
    if (result.kind === 'email-taken') return taken(visit, email, begun);
    if (result.kind === 'converted') return deliverGuestResult(service, visit, app, result);
    // Another form was faster.
    const now = await findConversion(service, app.id, tokenHashOf(flow));
    if (now.kind === 'refused') return repeatOrRefuse(request, reply, flow, now);
    throw new Problem('overloaded', 'The guest could not be converted at this moment.');
  });

  function taken(visit: GuestContext, email: string, begun: GuestFlow) {
    return show(visit, 200, guestTakenPage({ ...stepOf(visit, seal(BEGUN, begun)), email }));
  }

  async function repeatOrRefuse(
    request: FastifyRequest,
    reply: FastifyReply,
    flow: GuestFlow,
    refused: RefusedConversion,
  ) {
    const done = await repeatConversion(service, { flowId: flow.id, signIn: signInOf(service, request) });
    if (done && refused.app) return deliverGuestResult(service, { request, reply, flow }, refused.app, done);
    return refuse(request, reply, refused, flow.frameId);
  }

  function step<Flow extends GuestFlow>(
    name: 'email' | 'again' | 'code' | 'finish',
    context: string,
    take: (visit: GuestContext<Flow>, sealed: string) => Promise<unknown>,
  ): void {
    const url = `${path}/${name}`;
    const handle = async (request: FastifyRequest, reply: FastifyReply, flow: Flow, sealed: string) => {
      const conversion = await findConversion(service, flow.appId, tokenHashOf(flow));
      if (conversion.kind === 'refused') {
        if (name === 'finish') return repeatOrRefuse(request, reply, flow, conversion);
        return refuse(request, reply, conversion, flow.frameId);
      }
      const { app } = conversion;
      const fault = challengeFault(flow.codeChallenge, app);
      if (fault) return explain(request, reply, fault, app, flow.frameId);
      const target = targetOf(request, flow, app);
      if (target === undefined) return explain(request, reply, 'redirect-not-registered', app, flow.frameId);
      return take({ request, reply, flow, conversion, target }, sealed).catch((error: unknown) => {
        // For example too many tries. The message stays in the game's frame; the game is not told, as it would close the frame.
        if (!(error instanceof Problem)) throw error;
        return sendMessage(request, reply, messageForError(error, error.status), app.frameAncestors);
      });
    };
    server.post(
      url,
      nextStep<Flow>(service, context, handle, ({ body }) => namedAncestors(service, body)),
    );
    // The address bar shows these paths while a form is open. The fields of that form cannot be restored.
    server.get(url, { config: { isUnlisted: true } }, (request, reply) =>
      sendMessage(request, reply, messageForStatus(401), []),
    );
  }
}

/** Who may frame a page whose flow cannot be read. Which app is named, and where it is framed, is no secret. */
async function namedAncestors({ db }: Service, form: unknown): Promise<readonly string[]> {
  const clientId = parameter(form, 'client_id') ?? '';
  if (!new RegExp(APP_ID_PATTERN).test(clientId)) return [];
  return (await findApp(db, clientId as AppId))?.frameAncestors ?? [];
}

function tokenHashOf({ tokenHash }: GuestFlow): Buffer {
  return Buffer.from(tokenHash, 'base64url');
}

/** Null in a frame, where nobody is signed in. */
function signInOf(service: Service, request: FastifyRequest) {
  return isFramed(request.headers) ? null : arrivingBrowser(service, request);
}
