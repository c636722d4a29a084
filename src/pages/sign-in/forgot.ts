import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { Problem } from '../../base/problems.ts';
import {
  CHECK_PATH,
  type ResetRight,
  redeemResetCode,
  resetPassword,
  sendResetCode,
} from '../../features/credentials/reset-password.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { emailFault, normaliseEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { PASSWORD_SCRIPT } from '../../web/assets.ts';
import { field, hidden, newPasswordField } from '../../web/fields.ts';
import { arrivingBrowser, knownBrowsers, signBrowserIn } from '../../web/known-browsers.ts';
import type { AnswerAgain } from '../../web/language-choice.ts';
import { type Frame, layout, type Page } from '../../web/layout.ts';
import { messageForStatus } from '../../web/message-page.ts';
import { pageHead } from '../../web/page-head.ts';
import { catchRefusal } from '../../web/page-scope.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { sendMessage, sendPage } from '../../web/send-page.ts';
import { safeReturn, signInAddress } from '../../web/visitor.ts';
import { nextStep, sealField, type TakeForm } from '../../web/wizard.ts';
import { reasonText, refusalText, type Words } from '../../words/words.ts';
import { gameOfReturn, returnTargets } from '../oauth/interaction-address.ts';
import { type CodeForm, codeForms, emailForm } from '../sign-up/account-forms.ts';

export type ForgotStep = Frame & { readonly returnTo: string };

/** Asks for the account's e-mail address. */
function forgotPage(words: Words, page: ForgotStep & { readonly email?: string; readonly error?: string }): Page {
  const texts = words.forgot;
  const { returnTo, inline, ...form } = page;
  return layout(
    page,
    texts.title,
    html`<main>${pageHead(words, texts.title, { step: [1, 3] })}
<p>${texts.lead}</p>
${emailForm(words, { ...form, action: '/forgot', hidden: carried(page) })}
<p>${texts.remembered(html`<a href="${signInAddress(returnTo, false)}">${words.signIn.submit}</a>`)}</p>
</main>`,
  );
}

type CodeStep = ForgotStep & Pick<CodeForm, 'email' | 'mailFolder' | 'error'> & { readonly flow: string };

function resetCodePage(words: Words, page: CodeStep): Page {
  const { signUp } = words;
  const { email, mailFolder, error } = page;
  return layout(
    page,
    signUp.codeTitle,
    html`<main>${codeForms(words, {
      email,
      error,
      mailFolder,
      check: codeTarget(page),
      again: { action: '/forgot', hidden: { email, ...carried(page) } },
    })}
<p><a href="/forgot?${new URLSearchParams({ return_to: page.returnTo })}">${signUp.otherEmail}</a></p>
</main>`,
  );
}

function newPasswordPage(words: Words, page: ForgotStep & { email: string; flow: string; error?: string }): Page {
  const texts = words.forgot;
  const { fields } = words;
  const { email, flow, error } = page;
  return layout(
    page,
    texts.newTitle,
    html`<main>${pageHead(words, texts.newTitle, { step: [3, 3] })}
<p>${texts.newText}</p>
<form method="post" action="/forgot/password">
${hidden('flow', flow)}${Object.entries(carried(page)).map(([name, value]) => hidden(name, value))}
${field({ name: 'email', label: fields.email, type: 'email', autocomplete: 'username', value: email, fixed: true })}
${newPasswordField(words, { label: fields.newPassword, error })}
<button class="primary">${texts.submit}</button>
</form>
</main>`,
    PASSWORD_SCRIPT.path,
  );
}

const codeTarget = (page: ForgotStep & { readonly flow: string }) => ({
  action: '/forgot/code',
  hidden: { flow: page.flow, ...carried(page) },
});

function carried({ returnTo, inline }: ForgotStep) {
  return { return_to: returnTo, inline: inline ? 'true' : undefined };
}

/** What the first step seals for the second: the code that was sent. The second seals a {@link ResetRight} for the third. */
type CodeSent = { readonly email: string; readonly codeId: string };

/** Each step has its own sealing context, so that no step accepts another's field. */
const CODE_SENT = 'reset: code sent';
const PROVED = 'reset: proved';
const FLOW_MINUTES = 15;

/** /forgot asks for the e-mail address, /forgot/code for the code sent there, /forgot/password for the new password. */
export function forgotRoutes(server: FastifyInstance, service: Service): void {
  const stepOf = (parameters: unknown): ForgotStep => ({
    returnTo: safeReturn(parameter(parameters, 'return_to'), service.publicUrl),
    inline: isInline(parameters),
  });
  const callerOf = (request: FastifyRequest) => ({
    client: clientAddress(request),
    knownBrowsers: knownBrowsers(service, request),
  });
  const mailFolder = mailFolderToShow(service);
  const seal = (context: string, value: CodeSent | ResetRight) =>
    sealField(service.vault, context, value, FLOW_MINUTES);

  server.get('/forgot', async (request, reply) => show(reply, 200, forgotPage(request.words, stepOf(request.query))));

  const sendCode = async (request: FastifyRequest, reply: FastifyReply) => {
    const { words } = request;
    const step = stepOf(request.body);
    const email = normaliseEmail(parameter(request.body, 'email') ?? '');
    const fault = emailFault(email);
    if (fault) return show(reply, 422, forgotPage(words, { ...step, email, error: reasonText(words, fault) }));
    const codeId = await catchRefusal(
      () => sendResetCode(service, { email, locale: request.words.language, ...callerOf(request) }),
      'too-many-tries',
    );
    if (codeId instanceof Problem)
      return show(reply, codeId.status, forgotPage(words, { ...step, email, error: inLine(words, codeId) }));
    return showCode(reply, 200, { ...step, email, mailFolder, flow: seal(CODE_SENT, { email, codeId }) });
  };

  const takeCode: TakeForm<CodeSent> = async (request, reply, { email, codeId }, sent) => {
    const { words } = request;
    const step = stepOf(request.body);
    const typed = { email, id: codeId, code: parameter(request.body, 'code') ?? '', ...callerOf(request) };
    const right = await catchRefusal(() => redeemResetCode(service, typed), 'too-many-tries');
    if (right === null || right instanceof Problem) {
      const error = right ? inLine(words, right) : words.signUp.wrongCode;
      return showCode(reply, right?.status ?? 422, { ...step, email, mailFolder, flow: sent, error });
    }
    return askPassword(service, reply, { ...step, email: right.email, flow: seal(PROVED, right) });
  };
  const showSent: TakeForm<CodeSent> = async (request, reply, { email }, flow) =>
    showCode(reply, 200, { ...stepOf(request.body), email, mailFolder, flow });

  const setPassword: TakeForm<ResetRight> = async (request, reply, flow, proved) => {
    const { words } = request;
    const step = stepOf(request.body);
    const password = parameter(request.body, 'password') ?? '';
    const client = clientAddress(request);
    const reset = () => resetPassword(service, flow, { password, client, ...arrivingBrowser(service, request) });
    const session = await catchRefusal(reset, 'invalid-input', 'too-many-tries');
    if (session instanceof Problem) {
      const [status, error] =
        session.status === 429 ? [429, inLine(words, session)] : [422, refusalText(words, session)];
      return askPassword(service, reply.code(status), { ...step, email: flow.email, flow: proved, error });
    }
    if (session === null) return sendMessage(request, reply, messageForStatus(words, 401), []);
    await signBrowserIn(service, reply, session);
    // The owner first checks what else can use the account, and continues from there.
    const inline = step.inline && { inline: 'true' };
    const there = new URLSearchParams({ changed: 'password', return_to: step.returnTo, ...inline });
    return reply.redirect(`${CHECK_PATH}?${there}`, 303);
  };
  const showProved: TakeForm<ResetRight> = (request, reply, { email }, flow) =>
    askPassword(service, reply, { ...stepOf(request.body), email, flow });

  server.post('/forgot', sendCode);
  server.post('/forgot/code', nextStep(service, CODE_SENT, takeCode, { show: showSent }));
  server.post('/forgot/password', nextStep(service, PROVED, setPassword, { show: showProved }));
  for (const path of ['/forgot/code', '/forgot/password']) {
    // The address bar shows these paths while a form is open. Loading one by hand starts again.
    server.get(path, (_request, reply) => reply.redirect('/forgot', 303));
  }
}

async function askPassword(service: Service, reply: FastifyReply, page: Parameters<typeof newPasswordPage>[1]) {
  const formTargets = returnTargets(await gameOfReturn(service, page.returnTo));
  const again = { ...codeTarget(page), action: '/forgot/password' };
  return sendPage(reply, newPasswordPage(reply.request.words, page), {
    formTargets,
    opener: true,
    script: true,
    again,
  });
}

/** What a step says after too many attempts. It stays open, so that the form can be sent again later. */
function inLine(words: Words, refusal: Problem): string {
  return words.messages.tooManyInLine(refusalText(words, refusal));
}

function showCode(reply: FastifyReply, status: number, page: CodeStep): Promise<FastifyReply> {
  return show(reply, status, resetCodePage(reply.request.words, page), codeTarget(page));
}

function show(reply: FastifyReply, status: number, page: Page, again?: AnswerAgain): Promise<FastifyReply> {
  return sendPage(reply.code(status), page, { opener: true, again });
}
