import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import { isCodeRefused, redeemCode, sendCode } from '../../features/credentials/email-code.ts';
import { convertGuest, findConversion, openConversion } from '../../features/guests/convert-guest.ts';
import { signUpMail } from '../../features/sessions/sign-up.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { emailFault, normaliseEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { jsonScope } from '../../web/json-scope.ts';
import { messageForError, messageForStatus } from '../../web/message-page.ts';
import { catchInvalidInput } from '../../web/page-scope.ts';
import { cleanQueryOf, frameIdOf, parameter } from '../../web/request-parameters.ts';
import { sendMessage } from '../../web/send-page.ts';
import { nextStep, openField } from '../../web/wizard.ts';
import { reasonText, refusalText } from '../../words/words.ts';
import { readNewAccount } from '../sign-up/account-forms.ts';
import { openToken, SEALED_TOKEN, sealToken } from './guest-address.ts';
import {
  answerAgain,
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
import { mergeRoutes } from './guest-merge.ts';
import { guestPage } from './guest-pages.ts';
import { guestPasskeyRoute, madePasskey } from './guest-passkey.ts';
import {
  askAccount,
  askEmail,
  askEmailAgain,
  BEGUN,
  SENT,
  seal,
  showCode,
  showProved,
  showSent,
  showTaken,
  stepOf,
  type TakeStep,
} from './guest-steps.ts';

/**
 * GET {signup_url}/guest: a guest becomes a full user. The forms ask for an e-mail address, the code sent there, and a name and a
 * password; each is sent to a path below. A frame would get no cookie, so none is used: the token in the address opens the page, which
 * removes it from the address, and a sealed field carries its hash on. Every step checks everything again.
 */
export async function guestRoutes(server: FastifyInstance, service: Service): Promise<void> {
  const wizard = { service, path: `${service.settings.signupPath ?? ''}/guest` };
  server.get(wizard.path, async (request, reply) => openWizard(wizard, request, reply));
  stepRoute(server, wizard, 'email', BEGUN, { take: sendCodeTo, show: askEmailAgain });
  stepRoute(server, wizard, 'again', BEGUN, { take: askEmailAgain });
  stepRoute(server, wizard, 'code', SENT, { take: takeCode, show: showSent });
  stepRoute(server, wizard, 'finish', PROVED, { take: finish, show: showProved });
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

function stepRoute<Flow extends GuestFlow>(
  server: FastifyInstance,
  wizard: Wizard,
  name: 'email' | 'again' | 'code' | 'finish',
  sealedFor: string,
  { take, show }: { readonly take: TakeStep<Flow>; readonly show?: TakeStep<Flow> },
): void {
  const { service, path } = wizard;
  const handle =
    (how: TakeStep<Flow>) => (request: FastifyRequest, reply: FastifyReply, flow: Flow, sealed: string) => {
      const step = { request, reply, flow };
      const taken = (context: GuestContext<Flow>) =>
        how(wizard, context, sealed).catch((error: unknown) => {
          // For example too many tries. The message stays in the game's frame; the game is not told, as it would close the frame.
          if (!(error instanceof Problem)) throw error;
          const { frameAncestors } = context.conversion.app;
          const message = messageForError(request.words, error, error.status);
          return sendMessage(request, reply, message, frameAncestors, answerAgain(request));
        });
      return takeFlow(service, step, taken, (refused) =>
        name === 'finish' ? repeatOrRefuse(service, step, refused) : refuse(request, reply, refused, flow.frameId),
      );
    };
  server.post(
    `${path}/${name}`,
    nextStep<Flow>(service, sealedFor, handle(take), {
      show: handle(show ?? take),
      ancestors: ({ body }) => namedAncestors(service, body),
    }),
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
  if (fault) return askEmail(context, { ...step, email, error: reasonText(request.words, fault) }, 422);
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
  return showCode(context, { ...step, flow: seal(wizard, SENT, sent), begun, email, isRefused });
};

const takeCode: TakeStep<SentFlow> = async (wizard, context, sealed) => {
  const { service } = wizard;
  const { codeId, ...flow } = context.flow;
  const code = parameter(context.request.body, 'code') ?? '';
  if (!(await redeemCode(service, { id: codeId, purpose: 'sign-up', code }))) {
    return showSent(wizard, context, sealed, 422, context.request.words.signUp.wrongCode);
  }
  return showProved(wizard, { ...context, flow }, seal(wizard, PROVED, flow));
};

const finish: TakeStep<ProvedFlow> = async (wizard, context, sealed) => {
  const { service } = wizard;
  const { request, flow, conversion } = context;
  const { email } = flow;
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
  if (result.kind === 'email-taken') return showTaken(wizard, context, sealed);
  if (result.kind === 'converted') return deliverGuestResult(service, context, app, result);
  // Another form was faster.
  const now = await findConversion(service, app.id, tokenHashOf(flow));
  if (now.kind === 'refused') return repeatOrRefuse(service, context, now);
  throw new Problem('overloaded', 'The guest could not be converted at this moment.');
};
