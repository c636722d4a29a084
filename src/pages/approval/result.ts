import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { type Quarters, withThousands } from '../../base/quarters.ts';
import { type ApprovalOutcome, type NotAccepted, proveOutcome } from '../../features/approvals/approve-or-decline.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../settlement/service.ts';
import { ADDRESS_SCRIPT, PROGRESS_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { gameName } from '../../web/game-text.ts';
import { type Frame, layout, type Markup, type Page, unit } from '../../web/layout.ts';
import { cleanQueryAttribute } from '../../web/request-parameters.ts';
import {
  deliveryAttributes,
  type ResultDelivery,
  type ResultFields,
  resultAddress,
  wayBack,
} from '../../web/result-delivery.ts';
import { pageHeaders, sendPage } from '../../web/send-page.ts';
import type { ApprovalContext } from './approval-context.ts';
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
  const { inline, frameId, proof, openedBy, redirect, byPage } = context;
  const { app, request, byGuest } = view;
  // A proof states a decision, so without one there is none.
  const proven = proof && outcome.kind !== 'not-enough' ? await proveOutcome(service, request, outcome) : undefined;
  const result = resultOf(outcome, proven);
  const address = redirect === undefined ? undefined : resultAddress(redirect, redirectResultOf(outcome, proven));
  // A full user's payment is never shown in a frame.
  const frameAncestors = byGuest ? app.frameAncestors : [];
  const progress = progressFor(service, reply.request, context, view, outcome);
  const headers = { frameAncestors, script: byPage, opener: true, live: progress?.address !== undefined };
  if (!byPage && address !== undefined) return reply.headers(pageHeaders(headers)).redirect(address, 303);
  const delivery = { result, app, frameId, forOurFrame: openedBy === 'frame', redirect: address };
  return sendPage(
    reply,
    resultPage({ inline, app, request, outcome, before, delivery, progress, cleanQuery: context.cleanQuery }),
    headers,
  );
}

/** The result for a callback or a message. A declined one has no `requestId` there, because a shipped client crashes on it. */
export function resultOf(outcome: ApprovalOutcome | NotAccepted, proof?: string): ResultFields {
  return { ...fieldsOf(outcome), ...(proof !== undefined && { proof }) };
}

/** The result for a redirect, which always names its request. */
export function redirectResultOf(outcome: ApprovalOutcome | NotAccepted, proof?: string): ResultFields {
  const { requestId } = outcome;
  return { ...fieldsOf(outcome), requestId, ...(proof !== undefined && { proof }) };
}

function fieldsOf(outcome: ApprovalOutcome | NotAccepted): ResultFields {
  switch (outcome.kind) {
    case 'approved':
      return { txId: outcome.txHash, requestId: outcome.requestId };
    case 'declined':
      return { cancel: true };
    case 'failed':
    case 'not-enough':
      return { requestId: outcome.requestId, error: outcome.error };
  }
}

export type ResultPage = Frame & {
  readonly app: { readonly name: string };
  readonly request: { readonly amount: Quarters };
  readonly outcome: ApprovalOutcome | NotAccepted;
  /** It was decided before this page was opened: in another tab, or the page was opened again. */
  readonly before: boolean;
  readonly delivery: ResultDelivery;
  /** Live progress, if the page stays open. */
  readonly progress: ProgressView | undefined;
  readonly cleanQuery: ApprovalContext['cleanQuery'];
};

/** Says what happened. Its script delivers the result to the game, once per page view. */
function resultPage(page: ResultPage): Page {
  const { outcome, delivery } = page;
  const { title, sentence } = words(page);
  return layout(
    page,
    title,
    html`<main${deliveryAttributes(delivery)}${cleanQueryAttribute(page.cleanQuery)}>
<p class="sign ${outcome.kind === 'not-enough' ? 'failed' : outcome.kind}" aria-hidden="true"></p>
<h1>${title}</h1>
<p>${sentence}</p>
${
  outcome.kind === 'approved' &&
  html`<p class="transaction">Transaction <code title="${outcome.txHash}">${outcome.txHash.slice(0, 10)}…${outcome.txHash.slice(-8)}</code></p>`
}
<p class="lead">${wayBack(delivery)}</p>
${page.progress && progressPanel(page.progress)}
</main>`,
    page.cleanQuery && ADDRESS_SCRIPT.path,
    RESULT_SCRIPT.path,
    page.progress?.address && PROGRESS_SCRIPT.path,
  );
}

function words({ app, request, outcome, before }: ResultPage): { title: string; sentence: Markup } {
  switch (outcome.kind) {
    case 'approved':
      return {
        title: 'Approved',
        sentence: html`You${before && ' already'} paid ${withThousands(request.amount)} ${unit(request.amount)} to <bdi>“${gameName(app.name)}”</bdi>.${before && ' Nothing more was taken.'}`,
      };
    case 'declined':
      return {
        title: 'Declined',
        sentence: html`You${before && ' already'} declined this payment. Nothing was taken.`,
      };
    case 'failed':
      return FAILED[outcome.status];
    case 'not-enough': {
      const { missing, expiresAt } = outcome;
      return {
        title: 'Not enough quarters',
        sentence: html`Nothing was taken. You need ${withThousands(missing)} more ${unit(missing)}. Once you have them, open this payment again from the
game. It stays open for ${timeUntil(expiresAt)}.`,
      };
    }
  }
}

function timeUntil(then: Date): string {
  const minutes = Math.max(1, Math.round((then.getTime() - Date.now()) / 60_000));
  const [count, word] = minutes < 100 ? [minutes, 'minute'] : [Math.floor(minutes / 60), 'hour'];
  return `${count} more ${word}${count === 1 ? '' : 's'}`;
}

const FAILED = {
  expired: {
    title: 'This payment has expired',
    sentence: html`You didn’t answer in time. Nothing was taken. If you still want it, start again from the game.`,
  },
  cancelled: {
    title: 'The game cancelled this request',
    sentence: html`Nothing was taken. If you still want it, start again from the game.`,
  },
  failed: {
    title: 'This payment didn’t go through',
    sentence: html`You approved it, but it was stopped. Part of it may have been paid; the rest was returned to you. If you still want it,
start again from the game.`,
  },
} as const;
