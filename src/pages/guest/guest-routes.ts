import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import { isCodeRefused, redeemCode, sendCode } from '../../features/credentials/email-code.ts';
import { convertGuest, findConversion, openConversion } from '../../features/guests/convert-guest.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { signUpMail } from '../../features/sessions/sign-up.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { emailFault, findUserByEmail, normaliseEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { jsonScope } from '../../web/json-scope.ts';
import { messageForError, messageForStatus } from '../../web/message-page.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { localeParameter } from '../../web/readers-words.ts';
import { cleanQueryOf, frameIdOf, isFramed, parameter } from '../../web/request-parameters.ts';
import { sendMessage } from '../../web/send-page.ts';
import { nextStep, openField, sealField } from '../../web/wizard.ts';
import { reasonText, refusalText } from '../../words/words.ts';
import { readNewAccount } from '../sign-up/account-forms.ts';
import { openToken, SEALED_TOKEN, sealToken } from './guest-address.ts';
import {
  beginFlow,
  browserOf,
  deliverGuestResult,
  explain,
  type GuestContext,
  type GuestFlow,
  namedAncestors,
  PROVED,
  type ProvedFlow,
  refuse,
  repeatOrRefuse,
  type SentFlow,
  STEP_MINUTES,
  show,
  signInOf,
  takeFlow,
  targetOf,
  tokenHashOf,
  type Wizard,
} from './guest-context.ts';
import { mergePaths, mergeRoutes } from './guest-merge.ts';
import { guestTakenPage } from './guest-merge-pages.ts';
import { type GuestStep, guestCodePage, guestFinishPage, guestPage } from './guest-pages.ts';
import { guestPasskeyRoute, madePasskey } from './guest-passkey.ts';

/** Each step has its own sealing context, so that its field cannot pass for a later one. */
const BEGUN = 'guest conversion, begun';
const SENT = 'guest conversion, code sent';

/**
 * GET {signup_url}/guest: a guest becomes a full user. The forms ask for an e-mail address, the code sent there, and a name and a
 * password; each is sent to a path below. A frame would get no cookie, so none is used: the token in the address opens the page, which
 * removes it from the address, and a sealed field carries its hash on. Every step checks everything again.
 */
export async function guestRoutes(server: FastifyInstance, service: Service): Promise<void> {
  const wizard = { service, path: `${service.settings.signupPath ?? ''}/guest` };
  server.get(wizard.path, async (request, reply) => openWizard(wizard, request, reply));
  stepRoute(server, wizard, 'email', BEGUN, sendCodeTo);
  stepRoute(server, wizard, 'again', BEGUN, askEmailAgain);
  stepRoute(server, wizard, 'code', SENT, takeCode);
  stepRoute(server, wizard, 'finish', PROVED, finish);
  mergeRoutes(server, wizard);
  await jsonScope(server, service, (json) => guestPasskeyRoute(json, service, wizard.path));
}

/** The first page, opened with the guest's token, or reloaded with the sealed token that replaced it. */
async function openWizard(wizard: Wizard, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { service } = wizard;
  const { query } = request;
  const [token, sealedToken] = [parameter(query, 'token'), parameter(query, SEALED_TOKEN)];
  const unsealed = token === undefined ? openToken(service.vault, sealedToken) : null;
  const clientId = parameter(query, 'client_id') ?? '';
  const frameId = frameIdOf(query);
  const conversion = unsealed
    ? await findConversion(service, clientId, unsealed)
    : await openConversion(service, clientId, token ?? '');
  if (conversion.kind === 'refused') {
    const hasNoToken = (token ?? sealedToken) === undefined;
    if (hasNoToken && conversion.app) return explain(request, reply, 'no-token', conversion.app, frameId);
    return refuse(request, reply, conversion, frameId);
  }

  const { app } = conversion;
  const tokenHash = unsealed ?? hashSecret(token ?? '');
  const flow = beginFlow(query, app, tokenHash);
  if (typeof flow === 'string') return explain(request, reply, flow, app, frameId);
  const target = targetOf(request, flow, app);
  if (target === undefined) return explain(request, reply, 'redirect-not-registered', app, frameId);

  const sealed = sealToken(service.vault, tokenHash, STEP_MINUTES);
  const cleanQuery = cleanQueryOf(request, 'token', [SEALED_TOKEN, sealed]);
  const context = { request, reply, flow, conversion, target, cleanQuery };
  return show(context, 200, guestPage({ ...stepOf(wizard, context, seal(wizard, BEGUN, flow)), cleanQuery }));
}

/** Takes the form of one step. `sealed`: the field with the flow, as it came. */
type TakeStep<Flow extends GuestFlow> = (
  wizard: Wizard,
  context: GuestContext<Flow>,
  sealed: string,
) => Promise<FastifyReply>;

function stepRoute<Flow extends GuestFlow>(
  server: FastifyInstance,
  wizard: Wizard,
  name: 'email' | 'again' | 'code' | 'finish',
  sealedFor: string,
  take: TakeStep<Flow>,
): void {
  const { service, path } = wizard;
  const handle = (request: FastifyRequest, reply: FastifyReply, flow: Flow, sealed: string) => {
    const step = { request, reply, flow };
    const taken = (context: GuestContext<Flow>) =>
      take(wizard, context, sealed).catch((error: unknown) => {
        // For example too many tries. The message stays in the game's frame; the game is not told, as it would close the frame.
        if (!(error instanceof Problem)) throw error;
        const { frameAncestors } = context.conversion.app;
        return sendMessage(request, reply, messageForError(request.words, error, error.status), frameAncestors);
      });
    return takeFlow(service, step, taken, (refused) =>
      name === 'finish' ? repeatOrRefuse(service, step, refused) : refuse(request, reply, refused, flow.frameId),
    );
  };
  server.post(
    `${path}/${name}`,
    nextStep<Flow>(service, sealedFor, handle, ({ body }) => namedAncestors(service, body)),
  );
  // The address bar shows these paths while a form is open. The fields of that form cannot be restored.
  server.get(`${path}/${name}`, { config: { isUnlisted: true } }, (request, reply) =>
    sendMessage(request, reply, messageForStatus(request.words, 401), []),
  );
}

const sendCodeTo: TakeStep<GuestFlow> = async (wizard, context) => {
  const { service } = wizard;
  const { request, flow } = context;
  const email = normaliseEmail(parameter(request.body, 'email') ?? '');
  const fault = emailFault(email);
  const begun = seal(wizard, BEGUN, flow);
  const step = stepOf(wizard, context, begun);
  if (fault) return show(context, 422, guestPage({ ...step, email, error: reasonText(request.words, fault) }));
  const client = clientAddress(request);
  const before = openField<SentFlow>(service.vault, SENT, parameter(request.body, 'sent'));
  const isRefused = await isCodeRefused(service, before?.codeId);
  const codeId = await sendCode(service, {
    purpose: 'sign-up',
    email,
    locale: request.words.language,
    client,
    mail: signUpMail(service),
  });
  const sent: SentFlow = { ...flow, email, codeId };
  return show(context, 200, guestCodePage({ ...step, flow: seal(wizard, SENT, sent), begun, email, isRefused }));
};

const askEmailAgain: TakeStep<GuestFlow> = async (wizard, context) =>
  show(context, 200, guestPage(stepOf(wizard, context, seal(wizard, BEGUN, context.flow))));

const takeCode: TakeStep<SentFlow> = async (wizard, context, sealed) => {
  const { service } = wizard;
  const { codeId, ...flow } = context.flow;
  const { email, ...begun } = flow;
  const code = parameter(context.request.body, 'code') ?? '';
  if (!(await redeemCode(service, { id: codeId, purpose: 'sign-up', code }))) {
    const step = { ...stepOf(wizard, context, sealed), begun: seal(wizard, BEGUN, begun) };
    const isRefused = await isCodeRefused(service, codeId);
    return show(context, 422, guestCodePage({ ...step, email, error: step.words.signUp.wrongCode, isRefused }));
  }
  if (await findUserByEmail(service.db, email)) return showTaken(wizard, context, email, begun);
  return askAccount(wizard, context, seal(wizard, PROVED, flow), 200, { email, errors: {} });
};

const finish: TakeStep<ProvedFlow> = async (wizard, context, sealed) => {
  const { service } = wizard;
  const { request, flow, conversion } = context;
  const { email, ...begun } = flow;
  const answer = madePasskey(request.body);
  const account = await readNewAccount(request.words, request.body, email, answer !== null);
  if (account.kind === 'faulty') return askAccount(wizard, context, sealed, 422, { ...account, email });
  const { displayName, password } = account;
  const { app, guest } = conversion;
  const passkey = answer && { name: browserOf(service, request), answer };
  const convert = () =>
    convertGuest(service, {
      ...(passkey ? { passkey } : { password }),
      displayName,
      email,
      locale: request.words.language,
      appId: app.id,
      userId: guest.id,
      tokenHash: tokenHashOf(flow),
      flowId: flow.id,
      redirectUri: context.target,
      codeChallenge: flow.codeChallenge,
      signIn: signInOf(service, request),
      client: clientAddress(request),
    });
  const result = await catchInvalidInput(convert);
  if (result instanceof Problem) {
    // A form sent twice has spent the passkey's challenge, and may have converted the guest.
    const now = await findConversion(service, app.id, tokenHashOf(flow));
    if (now.kind === 'refused') return repeatOrRefuse(service, context, now);
    const errors = { passkey: refusalText(request.words, result) };
    return askAccount(wizard, context, sealed, 422, { displayName, email, errors });
  }
  if (result.kind === 'email-taken') return showTaken(wizard, context, email, begun);
  if (result.kind === 'converted') return deliverGuestResult(service, context, app, result);
  // Another form was faster.
  const now = await findConversion(service, app.id, tokenHashOf(flow));
  if (now.kind === 'refused') return repeatOrRefuse(service, context, now);
  throw new Problem('overloaded', 'The guest could not be converted at this moment.');
};

/** The last step. A passkey is not offered in a frame: browsers make none there. */
function askAccount(
  wizard: Wizard,
  context: GuestContext,
  sealed: string,
  status: number,
  shown: Pick<Parameters<typeof guestFinishPage>[0], 'email' | 'displayName' | 'errors'>,
): Promise<FastifyReply> {
  const step = stepOf(wizard, context, sealed);
  return show(context, status, guestFinishPage({ ...step, ...shown }), !step.framed);
}

function showTaken(wizard: Wizard, context: GuestContext, email: string, begun: GuestFlow): Promise<FastifyReply> {
  const step = stepOf(wizard, context, seal(wizard, BEGUN, begun));
  const paths = mergePaths(wizard, { ...begun, email }, localeParameter(wizard.service, context.request));
  return show(context, 200, guestTakenPage({ ...step, ...paths, email, frameId: begun.frameId }));
}

function seal({ service }: Wizard, sealedFor: string, flow: GuestFlow): string {
  return sealField(service.vault, sealedFor, flow, STEP_MINUTES);
}

function stepOf({ service, path }: Wizard, { request, conversion, target }: GuestContext, flow: string): GuestStep {
  return {
    conversion,
    path,
    flow,
    redirects: target !== null,
    framed: isFramed(request.headers),
    brand: service.settings.brandName,
    words: request.words,
    mailFolder: mailFolderToShow(service),
  };
}
