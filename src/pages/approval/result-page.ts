import { html } from 'hono/html';
import type { Quarters } from '../../base/quarters.ts';
import { withThousands } from '../../base/quarters.ts';
import type { NotDecided, Outcome } from '../../usecases/guest/outcome.ts';
import { ADDRESS_SCRIPT, PROGRESS_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { cleanQueryAttribute } from '../../web/clean-query.ts';
import { type Delivery, deliveryAttributes, wayBack } from '../../web/delivery.ts';
import { gameName } from '../../web/game-text.ts';
import { type Frame, layout, type Markup, unit } from '../../web/layout.ts';
import { type Progress, progressPanel } from './progress.ts';
import type { Visit } from './visit.ts';

export type ResultPage = Frame & {
  readonly app: { readonly name: string };
  readonly request: { readonly amount: Quarters };
  readonly outcome: Outcome | NotDecided;
  /** It was decided before this visit: by another tab, or the page was opened again. */
  readonly before: boolean;
  readonly delivery: Delivery;
  /** Of a payment on its way, on a page that stays. */
  readonly progress: Progress | undefined;
  readonly cleanQuery: Visit['cleanQuery'];
};

/** Says what happened; its script hands the result to the game, once per page view. */
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
        sentence: html`You gave ${withThousands(request.amount)} ${unit(request.amount)} to <bdi>“${gameName(app.name)}”</bdi>${before ? ' already. Nothing more was taken.' : '.'}`,
      };
    case 'declined':
      return { title: 'Declined', sentence: html`You${before && ' had'} declined, and nothing was taken.` };
    case 'failed':
      return FAILED[outcome.status];
    case 'not-enough': {
      const { missing, expiresAt } = outcome;
      return {
        title: 'Not enough quarters',
        sentence: html`Nothing was taken. You need ${withThousands(missing)} more ${unit(missing)}; once you have them, open this payment again from the
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
    sentence: html`It was not answered in time, and nothing was taken. If you still want it, begin it again in the game.`,
  },
  cancelled: {
    title: 'The game has taken this back',
    sentence: html`It does not ask you for this any more, and nothing was taken. If you still want it, begin it again in the game.`,
  },
  failed: {
    title: 'This payment did not go through',
    sentence: html`You approved it, but it was stopped on the way: what did not reach the game is yours again. If you still want it, begin it
again in the game.`,
  },
} as const;
