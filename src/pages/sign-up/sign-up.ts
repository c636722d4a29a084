import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { isCodeRefused, redeemCode, sendCode } from '../../features/credentials/email-code.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { signUp, signUpMail } from '../../features/sessions/sign-up.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { emailFault, findUserByEmail, normaliseEmail } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { PASSWORD_SCRIPT } from '../../web/assets.ts';
import { arrivingBrowser, signBrowserIn } from '../../web/known-browsers.ts';
import type { AnswerAgain } from '../../web/language-choice.ts';
import { type Frame, layout, type Page } from '../../web/layout.ts';
import { pageHead } from '../../web/page-head.ts';
import { isInline, parameter } from '../../web/request-parameters.ts';
import { sendPage } from '../../web/send-page.ts';
import { shownEmail } from '../../web/shown-email.ts';
import { readVisitor, safeReturn } from '../../web/visitor.ts';
import { nextStep, openField, sealField, type TakeForm } from '../../web/wizard.ts';
import { reasonText, type Words } from '../../words/words.ts';
import { gameOfReturn, returnTargets } from '../oauth/interaction-address.ts';
import { type CodeForm, codeForms, emailForm, type FinishForm, finishForm, readNewAccount } from './account-forms.ts';

/** How the page is shown, and where the visitor continues. `any`: also somebody who is signed in makes an account. */
export type SignUpChannel = Frame & { readonly returnTo: string; readonly any: boolean };
export type SignUpStep = SignUpChannel & { readonly email: string };
/** A step's sealed field. */
type Sealed = { readonly flow: string };

function emailPage(words: Words, channel: SignUpChannel & { brand: string; email?: string; error?: string }): Page {
  const texts = words.signUp;
  return layout(
    channel,
    texts.title,
    html`<main>${pageHead(words, texts.title, { step: [1, 3] })}
<p>${texts.lead(channel.brand)}</p>
${emailForm(words, { email: channel.email, error: channel.error, action: '/sign-up', hidden: carried(channel) })}
<p>${texts.haveAccount(html`<a href="${pathWith('/sign-in', channel)}">${words.signIn.submit}</a>`)}</p>
</main>`,
  );
}

function codePage(
  words: Words,
  step: SignUpStep & Sealed & Pick<CodeForm, 'mailFolder' | 'error' | 'isRefused'>,
): Page {
  const texts = words.signUp;
  const { email, flow, mailFolder, error, isRefused } = step;
  const check = codeTarget(step);
  const again = { action: '/sign-up', hidden: { ...carried(step), email, flow } };
  return layout(
    step,
    texts.codeTitle,
    html`<main>${codeForms(words, { email, error, isRefused, mailFolder, check, again })}
<p><a href="${pathWith('/sign-up', step)}">${texts.otherEmail}</a></p>
</main>`,
  );
}

function finishPage(words: Words, step: SignUpStep & Sealed & Pick<FinishForm, 'displayName' | 'errors'>): Page {
  const texts = words.signUp;
  const { email, displayName, errors } = step;
  const target = finishTarget(step);
  return layout(
    step,
    texts.finishTitle,
    html`<main>${pageHead(words, texts.finishTitle, { step: [3, 3] })}
${finishForm(words, { email, displayName, errors, ...target })}
</main>`,
    PASSWORD_SCRIPT.path,
  );
}

/** Shown only to somebody who has entered the code sent to this address. */
function takenPage(words: Words, step: SignUpStep): Page {
  const texts = words.signUp;
  return layout(
    step,
    texts.takenTitle,
    html`<main>${pageHead(words, texts.takenTitle, { sign: 'person' })}
<p>${texts.taken(html`<strong>${shownEmail(step.email)}</strong>`)}</p>
<p class="actions"><a class="primary" href="${pathWith('/sign-in', step)}">${words.signIn.submit}</a>
<a class="secondary" href="${pathWith('/sign-up', step)}">${texts.otherEmail}</a></p>
</main>`,
  );
}

const codeTarget = (step: SignUpStep & Sealed) => ({
  action: '/sign-up/code',
  hidden: { ...carried(step), flow: step.flow },
});
const finishTarget = (step: SignUpStep & Sealed) => ({ ...codeTarget(step), action: '/sign-up/finish' });

function carried({ returnTo, inline, any }: SignUpChannel): Record<string, string> {
  return { return_to: returnTo, ...(any && { any: 'true' }), ...(inline && { inline: 'true' }) };
}

function pathWith(path: string, channel: SignUpChannel): string {
  return `${path}?${new URLSearchParams(carried(channel))}`;
}

/** What is sealed from step to step. */
type Sent = SignUpStep & { readonly codeId: string };

/** Each step has its own sealing context, so that its field cannot pass for a later one. */
const SENT = 'sign-up, code sent';
const PROVED = 'sign-up, e-mail address proved';
const STEP_MINUTES = 30;

const channelOf = ({ publicUrl }: Service, parameters: unknown): SignUpChannel => ({
  returnTo: safeReturn(parameter(parameters, 'return_to'), publicUrl),
  inline: isInline(parameters),
  any: parameter(parameters, 'any') === 'true',
});

/** /sign-up asks for an e-mail address, /sign-up/code for the code sent there, /sign-up/finish creates the account. */
export function signUpRoutes(server: FastifyInstance, service: Service): void {
  const brand = service.settings.brandName;
  const mailFolder = mailFolderToShow(service);
  const seal = (context: string, step: SignUpStep) => sealField(service.vault, context, step, STEP_MINUTES);

  server.get('/sign-up', async (request, reply) => {
    const channel = channelOf(service, request.query);
    if (!channel.any && (await readVisitor(service, request))) return reply.redirect(channel.returnTo, 303);
    const email = parameter(request.query, 'login_hint');
    return show(reply, 200, emailPage(request.words, { ...channel, brand, ...(email !== undefined && { email }) }));
  });

  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    const { words } = request;
    const channel = channelOf(service, request.body);
    const email = normaliseEmail(parameter(request.body, 'email') ?? '');
    const fault = emailFault(email);
    if (fault) return show(reply, 422, emailPage(words, { ...channel, brand, email, error: reasonText(words, fault) }));
    const client = clientAddress(request);
    const before = openField<Sent>(service.vault, SENT, parameter(request.body, 'flow'));
    const isRefused = await isCodeRefused(service, before?.codeId);
    const codeId = await sendCode(service, {
      purpose: 'sign-up',
      email,
      locale: words.language,
      client,
      mail: signUpMail(service),
    });
    const sent: Sent = { ...channel, email, codeId };
    return showCode(reply, 200, { ...sent, flow: seal(SENT, sent), isRefused });
  };

  const showCode = (reply: FastifyReply, status: number, step: Omit<Parameters<typeof codePage>[1], 'mailFolder'>) => {
    return show(reply, status, codePage(reply.request.words, { ...step, mailFolder }), codeTarget(step));
  };

  const takeCode: TakeForm<Sent> = async (request, reply, { codeId, ...step }, flow) => {
    const { words } = request;
    const code = parameter(request.body, 'code') ?? '';
    if (!(await redeemCode(service, { id: codeId, purpose: 'sign-up', code }))) {
      const isRefused = await isCodeRefused(service, codeId);
      return showCode(reply, 422, { ...step, flow, error: words.signUp.wrongCode, isRefused });
    }
    return showProved(request, reply, step, seal(PROVED, step));
  };

  const showProved: TakeForm<SignUpStep> = async (_request, reply, step, flow) =>
    (await findUserByEmail(service.db, step.email))
      ? showTaken(reply, { ...step, flow })
      : askAccount(service, reply, { ...step, flow, errors: {} });

  const finish: TakeForm<SignUpStep> = async (request, reply, step, flow) => {
    const { words } = request;
    const account = await readNewAccount(words, request.body, step.email);
    if (account.kind === 'faulty') return askAccount(service, reply.code(422), { ...step, ...account, flow });
    const known = { ...account, email: step.email, client: clientAddress(request) };
    const session = await signUp(service, { ...known, ...arrivingBrowser(service, request) });
    if (session === null) return showTaken(reply, { ...step, flow });
    await signBrowserIn(service, reply, session);
    return reply.redirect(step.returnTo, 303);
  };

  server.post('/sign-up', send);
  const showSent: TakeForm<Sent> = async (_request, reply, { codeId, ...step }, flow) =>
    showCode(reply, 200, { ...step, flow, isRefused: await isCodeRefused(service, codeId) });
  server.post('/sign-up/code', nextStep(service, SENT, takeCode, { show: showSent }));
  server.post('/sign-up/finish', nextStep(service, PROVED, finish, { show: showProved }));
  for (const path of ['/sign-up/code', '/sign-up/finish']) {
    // The address bar shows these paths while a form is open. Loading one by hand starts again.
    server.get(path, (_request, reply) => reply.redirect('/sign-up', 303));
  }
}

async function askAccount(service: Service, reply: FastifyReply, page: Parameters<typeof finishPage>[1]) {
  const formTargets = returnTargets(await gameOfReturn(service, page.returnTo));
  const again = finishTarget(page);
  return sendPage(reply, finishPage(reply.request.words, page), { formTargets, opener: true, script: true, again });
}

function showTaken(reply: FastifyReply, step: SignUpStep & Sealed): Promise<FastifyReply> {
  return show(reply, 200, takenPage(reply.request.words, step), finishTarget(step));
}

function show(reply: FastifyReply, status: number, page: Page, again?: AnswerAgain): Promise<FastifyReply> {
  return sendPage(reply.code(status), page, { opener: true, again });
}
