import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { lesser } from '../../base/quarters.ts';
import type { ApprovalBlock } from '../../features/approvals/approve-or-decline.ts';
import type { ApprovalView, MandateOffer } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../service/service.ts';
import type { Confirmation } from '../../views/approvals/confirmation.ts';
import { ADDRESS_SCRIPT, READY_SCRIPT, THIS_BROWSER_SCRIPT } from '../../web/assets.ts';
import { bigAmount } from '../../web/big-amount.ts';
import { asker, branding, inQuotes, quoted } from '../../web/branding.ts';
import { hidden } from '../../web/fields.ts';
import { gameText } from '../../web/game-text.ts';
import { icon } from '../../web/icons.ts';
import { layout, type Markup, type Page } from '../../web/layout.ts';
import { cleanQueryAttribute } from '../../web/request-parameters.ts';
import { afterSending, formTargets } from '../../web/result-delivery.ts';
import { sendPage } from '../../web/send-page.ts';
import type { Shell } from '../../web/shell.ts';
import { backTo } from '../../web/way-back.ts';
import { whomToAsk } from '../../web/whom-to-ask.ts';
import type { Words } from '../../words/words.ts';
import { type ApprovalContext, asksWhoOpened, contextFields, paymentAgain } from './approval-context.ts';

type ApprovalPage = Omit<ApprovalView, 'outcome'> & {
  /** Where the form is sent. */
  readonly action: string;
  /** Where the link to report a problem leads. */
  readonly reportAction: string;
  readonly context: ApprovalContext;
  /** Why the last decision did not go through. */
  readonly notice?: string | undefined;
  readonly shell: Shell;
};

/** Shows the payment to its player, who decides. `notice`: why the last decision did not go through. */
export function showApproval(
  { settings }: Service,
  reply: FastifyReply,
  context: ApprovalContext,
  view: Omit<ApprovalView, 'outcome'>,
  notice?: string,
): Promise<FastifyReply> {
  const { app, request, byGuest } = view;
  const { redirect, byPage } = context;
  const path = `${settings.approvalPath ?? ''}/requests/${request.id}`;
  return sendPage(
    reply,
    approvalPage(reply.request.words, {
      ...view,
      action: `${path}/decision`,
      reportAction: `${path}/report`,
      context,
      notice,
      shell: reply.server.shell,
    }),
    {
      // The game that gains from a click is the one that may frame us. So a full user's button is shown at top level only.
      frameAncestors: byGuest ? app.frameAncestors : [],
      formTargets: redirect === undefined || byPage ? [] : formTargets(redirect, app.redirectUris),
      script: true,
      opener: true,
      live: true,
      cleanQuery: context.cleanQuery,
      again: paymentAgain({ settings }, request.id, context, view.formToken),
    },
  );
}

/** Asks the player for a decision: shows the game, the amount, what it is for and the balance after. */
function approvalPage(words: Words, page: ApprovalPage): Page {
  const say = words.approval;
  const { app, request, context, notice } = page;
  const description = gameText(request.description, 280);
  return layout(
    context,
    say.title,
    html`<main class="sheet"${cleanQueryAttribute(context.cleanQuery)}>
${branding(words, app)}
<h1 class="asks">${asker(words, app)}<span class="lead">${say.asks}</span> ${bigAmount(words, request.amount)}</h1>
${
  description &&
  html`<figure><figcaption>${say.message}</figcaption><blockquote>${inQuotes(words, description)}</blockquote></figure>`
}
${balances(words, page)}
${notice && html`<p class="notice bad" role="alert">${notice}</p>`}
${page.block ? blocked(words, page, page.block) : page.missing === 0n ? form(words, page) : notEnough(words, page)}
${reportLink(words, page)}
</main>`,
    READY_SCRIPT.path,
    context.cleanQuery && ADDRESS_SCRIPT.path,
    asksWhoOpened(context) || context.canShowPaid ? THIS_BROWSER_SCRIPT.path : undefined,
  );
}

/** The balance before and after. With a reward, also what is paid from where. */
function balances(words: Words, { request, balance, reward, missing, block }: ApprovalPage): Markup {
  const say = words.approval;
  const fromReward = lesser(reward, request.amount);
  const fromBalance = request.amount - fromReward;
  const enough = missing === 0n && !block;
  return html`<dl class="balance">
<div><dt>${say.balance}</dt><dd>${plainAmount(words, balance)}</dd></div>
${enough && html`<div><dt>${say.balanceAfter}</dt><dd>${plainAmount(words, balance - fromBalance)}</dd></div>`}
</dl>
${
  reward > 0n &&
  html`<dl class="reward"><div><dt>${say.reward}</dt><dd>${words.quarters(reward)}</dd></div>
${enough && html`<div><dt>${say.youPay}</dt><dd>${say.fromBoth(words.number(fromReward), words.number(fromBalance))}</dd></div>`}</dl>`
}`;
}

/** The unit stands above already. Only who cannot see that hears it again. */
function plainAmount(words: Words, amount: bigint): Markup {
  return html`${words.number(amount)} <span class="visually-hidden">${words.unit(amount)}</span>`;
}

/** A script fills them in, because only the browser knows. */
const [OPENED_BY_FIELD, SHOWS_PAID_FIELD] = [hidden('opened_by', ''), hidden('shows_paid', '')];

function form(words: Words, page: ApprovalPage): Markup {
  const { app, mandateOffer, confirmation } = page;
  return html`<form method="post" action="${page.action}" data-reach>
${fields(page)}
${mandateOffer && laterPayments(words, mandateOffer, app.name)}
${confirmation && confirmationNote(words, confirmation)}
<button class="primary" name="decision" value="approve">${words.approval.approve}</button>
${declineButton(words)}
<p class="early hint" role="status"></p>
${afterDecision(words, page)}
</form>`;
}

function fields({ context, formToken }: ApprovalPage): Markup {
  return html`${contextFields(context, formToken)}${asksWhoOpened(context) && OPENED_BY_FIELD}${context.canShowPaid && SHOWS_PAID_FIELD}`;
}

/** Replaces the form once it was sent, if its answer leads to the game. */
function afterDecision(words: Words, { app, context: { redirect, byPage } }: ApprovalPage): Markup | false {
  return redirect !== undefined && !byPage && afterSending(words, app, words.messages.answered);
}

function declineButton({ approval: say }: Words): Markup {
  return html`<button class="quiet" name="decision" value="decline">${say.decline}</button>`;
}

/** Says how many are missing, and the ways on: to where the game's players get quarters, if it named a place, and back. */
function notEnough(words: Words, page: ApprovalPage): Markup {
  const say = words.approval;
  const { app, missing, missingIsUnconfirmed } = page;
  const topUp = missingIsUnconfirmed ? null : app.topUpUrl;
  const back = topUp === null ? 'primary' : 'secondary';
  return html`<p class="notice" role="status">${
    missingIsUnconfirmed ? say.unconfirmed : html`${say.missing(missing)}${words.gap}${say.missingThenOpen}`
  }</p>
<form method="post" action="${page.action}">
${fields(page)}
${topUp !== null && topUpLink(words, topUp)}
<button class="${back}" name="decision" value="later">${backTo(words, app)}</button>
${declineButton(words)}
<p class="early hint" role="status"></p>
${afterDecision(words, page)}
</form>`;
}

/** Says why nobody can approve it, whom to ask, and leads back. */
function blocked(words: Words, page: ApprovalPage, block: ApprovalBlock): Markup {
  const { app } = page;
  return html`<p class="notice" role="status">${words.stopped.payment[block]}${words.gap}${whomToAsk(words, page.shell)}</p>
<form method="post" action="${page.action}">
${fields(page)}
<button class="primary" name="decision" value="later">${backTo(words, app)}</button>
${declineButton(words)}
<p class="early hint" role="status"></p>
${afterDecision(words, page)}
</form>`;
}

/** Always at top level, and with the host in sight: the address is the game's, and may ask for money. */
function topUpLink({ approval: say }: Words, url: string): Markup {
  const { host } = new URL(url);
  return html`<a class="primary" href="${url}" target="_blank" rel="noopener noreferrer">${say.topUp}${icon('external')}</a>
<p class="hint centred">${say.topUpAt(html`<bdi>${host}</bdi>`)}</p>`;
}

/** What approving agrees to, or a box does. Its hidden field says that the page has said so. */
function laterPayments(
  words: Words,
  { limits: { maxPerTransfer, maxPerDay, days }, consent, asksAlways }: MandateOffer,
  name: string,
): Markup {
  const say = words.approval;
  const date = new Date(Date.now() + days * 86_400_000);
  const until = html`<time datetime="${date.toISOString().slice(0, 10)}">${words.day(date)}</time>`;
  const limit = [quoted(words, name), words.quarters(maxPerTransfer), words.number(maxPerDay), until] as const;
  if (consent === 'box') {
    return html`<label class="mandate"><input type="checkbox" name="mandate" value="on"><span>${say.mandate(...limit)}</span></label>`;
  }
  return html`<div class="mandate said"><p>${say.mandateByApproval(...limit)}</p>
${hidden('mandate', 'on')}<label class="choice"><input type="checkbox" name="ask" value="always"${asksAlways && html` checked`}><span>${say.askEveryTime}</span></label></div>`;
}

/** Says that a large payment needs a recent sign-in, or that there was one. */
function confirmationNote(words: Words, { above, given }: Confirmation): Markup {
  const say = words.approval;
  return given
    ? html`<p class="hint" role="status">${say.confirmed}</p>`
    : html`<p class="hint">${say.confirm(words.quarters(above))}</p>`;
}

/** The link from a payment's page to its report. It is a form, so that no token is in an address. */
function reportLink(words: Words, { reportAction, formToken, context }: ApprovalPage): Markup {
  return html`<form class="aside" method="post" action="${reportAction}">
${contextFields(context, formToken)}
<button class="link">${icon('flag')}${words.report.title}</button>
</form>`;
}
