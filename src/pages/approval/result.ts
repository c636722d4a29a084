import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import type { Quarters } from '../../base/quarters.ts';
import { type ApprovalOutcome, type NotAccepted, proveOutcome } from '../../features/approvals/approve-or-decline.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../service/service.ts';
import { ADDRESS_SCRIPT, PROGRESS_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { quoted } from '../../web/branding.ts';
import { icon } from '../../web/icons.ts';
import { type Frame, layout, type Markup, type Page } from '../../web/layout.ts';
import { cleanQueryAttribute, parameter } from '../../web/request-parameters.ts';
import {
  deliveryAttributes,
  leavingAttributes,
  type ResultDelivery,
  type ResultFields,
  resultAddress,
  wayBackOf,
} from '../../web/result-delivery.ts';
import { pageHeaders, sendPage } from '../../web/send-page.ts';
import { wayBack } from '../../web/way-back.ts';
import type { Words } from '../../words/words.ts';
import { type ApprovalContext, paymentAgain } from './approval-context.ts';
import { type ProgressView, progressFor, progressPanel } from './progress.ts';

/**
 * Ends the payment's pages: the game gets the outcome at its redirect address or from the result page. `before`: it was decided
 * before this page was opened.
 */
export async function deliverResult(
  service: Service,
  reply: FastifyReply,
  context: ApprovalContext,
  view: Pick<ApprovalView, 'app' | 'request' | 'byGuest'>,
  outcome: ApprovalOutcome | NotAccepted,
  before = false,
): Promise<FastifyReply> {
  const { words } = reply.request;
  const { inline, frameId, proof, openedBy, redirect, byPage, canShowPaid, showsPaid, isFollowed } = context;
  const { app, request, byGuest } = view;
  // A proof states a decision, so without one there is none.
  const proven =
    proof && outcome.kind !== 'not-enough' && outcome.kind !== 'blocked'
      ? await proveOutcome(service, request, outcome)
      : undefined;
  const result = resultOf(words, outcome, proven);
  const address =
    redirect === undefined ? undefined : resultAddress(redirect, redirectResultOf(words, outcome, proven));
  // A full user's payment is never asked for in a frame, and is shown there only after our own window.
  const frameAncestors = byGuest || isFollowed ? app.frameAncestors : [];
  const progress = progressFor(service, reply.request, context, view, outcome);
  const { cleanQuery } = context;
  const again = paymentAgain(service, request.id, context, parameter(reply.request.body, 'page_token'));
  const live = progress?.address !== undefined;
  const headers = { frameAncestors, script: true, opener: true, live, cleanQuery, again };
  const leaves = !byPage && address !== undefined;
  const showsFirst = isFollowed || (canShowPaid && showsPaid && outcome.kind === 'approved');
  if (leaves && !showsFirst) {
    return reply.headers(pageHeaders({ ...headers, script: false })).redirect(address, 303);
  }
  // Where the game waits at its address, nobody waits here for a message or a call.
  const delivery = leaves
    ? { attributes: leavingAttributes(address), back: wayBack(words, { app, address }) }
    : deliveryTo(words, { result, app, frameId, forOurFrame: openedBy === 'frame', redirect: address });
  return sendPage(
    reply,
    resultPage(words, { inline, app, request, outcome, before, delivery, progress, cleanQuery }),
    headers,
  );
}

function deliveryTo(words: Words, delivery: ResultDelivery): ResultPage['delivery'] {
  return { attributes: deliveryAttributes(delivery), back: wayBackOf(words, delivery) };
}

/** The result for a callback or a message. A declined one has no `requestId` there, because a shipped client crashes on it. */
export function resultOf(words: Words, outcome: ApprovalOutcome | NotAccepted, proof?: string): ResultFields {
  return { ...fieldsOf(words, outcome), ...(proof !== undefined && { proof }) };
}

/** The result for a redirect, which always names its request. */
export function redirectResultOf(words: Words, outcome: ApprovalOutcome | NotAccepted, proof?: string): ResultFields {
  const { requestId } = outcome;
  return { ...fieldsOf(words, outcome), requestId, ...(proof !== undefined && { proof }) };
}

function fieldsOf(words: Words, outcome: ApprovalOutcome | NotAccepted): ResultFields {
  const texts = words.result;
  switch (outcome.kind) {
    case 'approved':
      return { txId: outcome.txHash, requestId: outcome.requestId };
    case 'declined':
      return { cancel: true };
    case 'failed':
      return {
        requestId: outcome.requestId,
        error: texts.endedErrors[outcome.status],
        reason: REASONS[outcome.status],
      };
    case 'not-enough':
      return { requestId: outcome.requestId, error: texts.notEnoughError, reason: outcome.reason };
    case 'blocked':
      return { requestId: outcome.requestId, error: words.stopped.errors[outcome.reason], reason: outcome.reason };
  }
}

/** The public word for each way in which a decided request can fail. `stopped`: on the way to the chain, or there. */
const REASONS = { expired: 'expired', cancelled: 'cancelled', failed: 'stopped' } as const;

export type ResultPage = Frame & {
  readonly app: { readonly name: string };
  readonly request: { readonly amount: Quarters };
  readonly outcome: ApprovalOutcome | NotAccepted;
  /** It was decided before this page was opened: in another tab, or the page was opened again. */
  readonly before: boolean;
  /** What the page's script reads, and the way back to the game. */
  readonly delivery: { readonly attributes: Markup; readonly back: Markup };
  /** Live progress, if the page stays open. */
  readonly progress: ProgressView | undefined;
  readonly cleanQuery: ApprovalContext['cleanQuery'];
};

/** Says what happened. Its script delivers the result to the game, once per page view. */
function resultPage(words: Words, page: ResultPage): Page {
  const { outcome, delivery } = page;
  const { sign, title, heading = title, sentence } = textsOf(words, page);
  return layout(
    page,
    title,
    html`<main${delivery.attributes}${cleanQueryAttribute(page.cleanQuery)}>
<p class="sign ${sign}" aria-hidden="true">${icon(SIGNS[sign])}</p>
<h1>${heading}</h1>
<p>${sentence}</p>
${
  outcome.kind === 'approved' &&
  html`<p class="transaction">${words.result.transaction(html`<code title="${outcome.txHash}">${outcome.txHash.slice(0, 10)}…${outcome.txHash.slice(-8)}</code>`)}</p>`
}
${page.progress && progressPanel(words, page.progress)}
${delivery.back}
</main>`,
    page.cleanQuery && ADDRESS_SCRIPT.path,
    RESULT_SCRIPT.path,
    page.progress?.address && PROGRESS_SCRIPT.path,
  );
}

const SIGNS = { approved: 'check', declined: 'minus', failed: 'alert' } as const;

type Texts = {
  readonly sign: keyof typeof SIGNS;
  readonly title: string;
  /** The title, unless it differs. */
  readonly heading?: string;
  readonly sentence: Markup | string;
};

function textsOf(words: Words, { app, request, outcome, before }: ResultPage): Texts {
  const texts = words.result;
  switch (outcome.kind) {
    case 'approved': {
      const game = quoted(words, app.name);
      const sentence = before ? texts.alreadyPaid(game) : texts.paidTo(game);
      return { sign: 'approved', title: texts.paidTitle, heading: texts.paid(request.amount), sentence };
    }
    case 'declined':
      return { sign: 'declined', title: texts.declined, sentence: before ? texts.alreadyDeclined : texts.declinedText };
    case 'failed': {
      const why = REASONS[outcome.status];
      return { sign: 'failed', title: texts[why], sentence: texts[`${why}Text`] };
    }
    case 'not-enough': {
      const minutes = Math.max(1, Math.round((outcome.expiresAt.getTime() - Date.now()) / 60_000));
      return { sign: 'failed', title: texts.notEnough, sentence: texts.notEnoughText(outcome.missing, minutes) };
    }
    case 'blocked':
      return { sign: 'failed', title: texts.notApproved, sentence: texts.notApprovedText };
  }
}
