import { html } from 'hono/html';
import type { Quarters } from '../../base/quarters.ts';
import { withThousands } from '../../base/quarters.ts';
import type { NotDecided, Outcome } from '../../features/approvals/outcome.ts';
import { ADDRESS_SCRIPT, PROGRESS_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { cleanQueryAttribute } from '../../web/clean-query.ts';
import { type Delivery, deliveryAttributes, wayBack } from '../../web/delivery.ts';
import { gameName } from '../../web/game-text.ts';
import { type Frame, layout, type Markup, unit } from '../../web/layout.ts';
import type { Visit } from './approval-context.ts';
import { type Progress, progressPanel } from './progress.ts';

export type ResultPage = Frame & {
  readonly app: { readonly name: string };
  readonly request: { readonly amount: Quarters };
  readonly outcome: Outcome | NotDecided;
  /** It was decided before this visit: in another tab, or the page was opened again. */
  readonly before: boolean;
  readonly delivery: Delivery;
  /** Live progress, if the page stays open. */
  readonly progress: Progress | undefined;
  readonly cleanQuery: Visit['cleanQuery'];
};

/** Says what happened. Its script delivers the result to the game, once per page view. */
export function resultPage(page: ResultPage): Markup {
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
