import { html } from 'hono/html';
import type { Quarters } from '../../base/quarters.ts';
import { withThousands } from '../../base/quarters.ts';
import type { Outcome } from '../../usecases/guest/outcome.ts';
import { PROGRESS_SCRIPT, RESULT_SCRIPT } from '../../web/assets.ts';
import { type Delivery, deliveryAttributes, wayBack } from '../../web/delivery.ts';
import { gameName } from '../../web/game-text.ts';
import { type Frame, layout, type Markup, unit } from '../../web/layout.ts';
import { type Progress, progressPanel } from './progress.ts';

export type ResultPage = Frame & {
  readonly app: { readonly name: string };
  readonly request: { readonly amount: Quarters };
  readonly outcome: Outcome;
  readonly delivery: Delivery;
  /** Of a payment on its way, on a page that stays. */
  readonly progress: Progress | undefined;
};

/** Says what happened; its script hands the result to the game, once per page view. */
export function resultPage(page: ResultPage): Markup {
  const { outcome, delivery } = page;
  const { title, sentence } = words(page);
  return layout(
    page,
    title,
    html`<main${deliveryAttributes(delivery)}>
<p class="sign ${outcome.kind}" aria-hidden="true"></p>
<h1>${title}</h1>
<p>${sentence}</p>
${
  outcome.kind === 'approved' &&
  html`<p class="transaction">Transaction <code title="${outcome.txHash}">${outcome.txHash.slice(0, 10)}…${outcome.txHash.slice(-8)}</code></p>`
}
<p class="lead">${wayBack(delivery)}</p>
${page.progress && progressPanel(page.progress)}
</main>`,
    RESULT_SCRIPT.path,
    page.progress?.address && PROGRESS_SCRIPT.path,
  );
}

function words({ app, request, outcome }: ResultPage): { title: string; sentence: Markup } {
  switch (outcome.kind) {
    case 'approved':
      return {
        title: 'Approved',
        sentence: html`You gave ${withThousands(request.amount)} ${unit(request.amount)} to <bdi>“${gameName(app.name)}”</bdi>.`,
      };
    case 'declined':
      return { title: 'Declined', sentence: html`You declined, and nothing was taken.` };
    case 'failed':
      return { title: 'Nothing was taken', sentence: html`${outcome.error}` };
  }
}
