import type { FastifyReply } from 'fastify';
import { isCodeRefused } from '../../features/credentials/email-code.ts';
import { mailFolderToShow } from '../../features/mails/mails.ts';
import { findUserByEmail } from '../../identity/users.ts';
import { localeParameter } from '../../web/readers-words.ts';
import { isFramed } from '../../web/request-parameters.ts';
import { sealField } from '../../web/wizard.ts';
import {
  type GuestContext,
  type GuestFlow,
  type ProvedFlow,
  type SentFlow,
  STEP_MINUTES,
  show,
  type Wizard,
} from './guest-context.ts';
import { mergePaths } from './guest-merge.ts';
import { guestTakenPage } from './guest-merge-pages.ts';
import { type GuestStep, guestCodePage, guestFinishPage, guestPage, targetOfStep } from './guest-pages.ts';

/** Each step has its own sealing context, so that its field cannot pass for a later one. */
export const BEGUN = 'guest conversion, begun';
export const SENT = 'guest conversion, code sent';

/** Takes the form of one step. `sealed`: the field with the flow, as it came. */
export type TakeStep<Flow extends GuestFlow> = (
  wizard: Wizard,
  context: GuestContext<Flow>,
  sealed: string,
) => Promise<FastifyReply>;

/** The code that was sent. `error`: what is wrong with the one that was entered. */
export async function showSent(
  wizard: Wizard,
  context: GuestContext<SentFlow>,
  sealed: string,
  status = 200,
  error?: string,
): Promise<FastifyReply> {
  const { codeId, email, ...begun } = context.flow;
  const isRefused = await isCodeRefused(wizard.service, codeId);
  const step = { ...stepOf(wizard, context, sealed), begun: seal(wizard, BEGUN, begun) };
  return showCode(context, { ...step, email, error, isRefused }, status);
}

export function showCode(
  context: GuestContext,
  step: Parameters<typeof guestCodePage>[0],
  status = 200,
): Promise<FastifyReply> {
  return show(context, status, guestCodePage(step), { again: targetOfStep(step, 'code') });
}

export const askEmailAgain: TakeStep<GuestFlow> = (wizard, context) =>
  askEmail(context, stepOf(wizard, context, seal(wizard, BEGUN, context.flow)));

export function askEmail(
  context: GuestContext,
  step: Parameters<typeof guestPage>[0],
  status = 200,
): Promise<FastifyReply> {
  return show(context, status, guestPage(step), { again: targetOfStep(step, 'again') });
}

export const showProved: TakeStep<ProvedFlow> = async (wizard, context, sealed) => {
  const { email } = context.flow;
  return (await findUserByEmail(wizard.service.db, email))
    ? showTaken(wizard, context, sealed)
    : askAccount(wizard, context, sealed, 200, { email, errors: {} });
};

/** The last step. A passkey is not offered in a frame: browsers make none there. */
export function askAccount(
  wizard: Wizard,
  context: GuestContext,
  sealed: string,
  status: number,
  shown: Pick<Parameters<typeof guestFinishPage>[0], 'email' | 'displayName' | 'errors'>,
): Promise<FastifyReply> {
  const step = stepOf(wizard, context, sealed);
  return show(context, status, guestFinishPage({ ...step, ...shown }), {
    passkeys: !step.framed,
    again: targetOfStep(step, 'finish'),
  });
}

export function showTaken(wizard: Wizard, context: GuestContext<ProvedFlow>, sealed: string): Promise<FastifyReply> {
  const { email, ...begun } = context.flow;
  const step = stepOf(wizard, context, seal(wizard, BEGUN, begun));
  const paths = mergePaths(wizard, { ...begun, email }, localeParameter(wizard.service, context.request));
  const page = guestTakenPage({ ...step, ...paths, email, frameId: begun.frameId });
  return show(context, 200, page, { again: targetOfStep({ ...step, flow: sealed }, 'finish') });
}

export function seal({ service }: Wizard, sealedFor: string, flow: GuestFlow): string {
  return sealField(service.vault, sealedFor, flow, STEP_MINUTES);
}

export function stepOf(
  { service, path }: Wizard,
  { request, conversion, target }: GuestContext,
  flow: string,
): GuestStep {
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
