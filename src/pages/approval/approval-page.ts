import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { readableDay } from '../../base/dates.ts';
import { lesser, type Quarters, withThousands } from '../../base/quarters.ts';
import type { Confirmation } from '../../features/approvals/confirmation.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../settlement/service.ts';
import { ADDRESS_SCRIPT, OPENED_BY_SCRIPT, READY_SCRIPT } from '../../web/assets.ts';
import { branding } from '../../web/branding.ts';
import { gameName, gameText } from '../../web/game-text.ts';
import { layout, type Markup, type Page, unit } from '../../web/layout.ts';
import { cleanQueryAttribute } from '../../web/request-parameters.ts';
import { formTargets } from '../../web/result-delivery.ts';
import { sendPage } from '../../web/send-page.ts';
import { type ApprovalContext, asksWhoOpened, contextFields } from './approval-context.ts';

type ApprovalPage = Omit<ApprovalView, 'outcome'> & {
  /** Where the form is sent. */
  readonly action: string;
  /** Where the link to report a problem leads. */
  readonly reportAction: string;
  readonly context: ApprovalContext;
  /** Why the last decision did not go through. */
  readonly notice?: string | undefined;
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
    approvalPage({ ...view, action: `${path}/decision`, reportAction: `${path}/report`, context, notice }),
    {
      // The game that gains from a click is the one that may frame us. So a full user's button is shown at top level only.
      frameAncestors: byGuest ? app.frameAncestors : [],
      formTargets: redirect === undefined || byPage ? [] : formTargets(redirect, app.redirectUris),
      script: true,
      opener: true,
    },
  );
}

/** Asks the player for a decision: shows the game, the amount, what it is for and the balance after. */
function approvalPage(page: ApprovalPage): Page {
  const { app, request, balance, reward, missing, notice, context } = page;
  const enough = missing === 0n;
  const fromReward = lesser(reward, request.amount);
  const fromBalance = request.amount - fromReward;
  const name = gameName(app.name);
  const description = gameText(request.description, 280);
  return layout(
    context,
    'Approve a payment',
    html`<main${cleanQueryAttribute(context.cleanQuery)}>
${branding(app)}
<h1><span class="lead">asks you for</span> ${bigAmount(request.amount)}</h1>
${
  description &&
  html`<figure><figcaption>Message from the game</figcaption><blockquote><bdi>“${description}”</bdi></blockquote></figure>`
}
<dl>
<div><dt>Balance</dt><dd>${withThousands(balance)} ${unit(balance)}</dd></div>
${reward > 0n && html`<div><dt>Your reward</dt><dd>${withThousands(reward)} ${unit(reward)}</dd></div>`}
${enough && reward > 0n && html`<div><dt>You pay</dt><dd>${withThousands(fromReward)} from your reward, ${withThousands(fromBalance)} from your balance</dd></div>`}
${enough && html`<div><dt>Balance after</dt><dd>${withThousands(balance - fromBalance)} ${unit(balance - fromBalance)}</dd></div>`}
</dl>
${notice && html`<p class="notice" role="alert">${notice}</p>`}
${!enough && html`<p class="notice" role="status">${page.missingIsUnconfirmed ? UNCONFIRMED : html`You need ${withThousands(missing)} more ${unit(missing)} to approve this. Open it again from the game once you have enough.`}</p>`}
${form(page, enough, name)}
${reportLink(page)}
</main>`,
    READY_SCRIPT.path,
    context.cleanQuery && ADDRESS_SCRIPT.path,
    asksWhoOpened(context) ? OPENED_BY_SCRIPT.path : undefined,
  );
}

/** A script fills it in, because only the browser knows. */
const OPENED_BY_FIELD = html`<input type="hidden" name="opened_by" value="">`;

const UNCONFIRMED = 'Some of your quarters are still being confirmed. Open this again from the game in a moment.';

function form(page: ApprovalPage, enough: boolean, name: string): Markup {
  const { action, formToken, context, mandateOffer, confirmation } = page;
  return html`<form method="post" action="${action}">
${contextFields(context, formToken)}${asksWhoOpened(context) && OPENED_BY_FIELD}
${mandateOffer && enough && mandateBox(mandateOffer, name)}
${confirmation && enough && confirmationNote(confirmation)}
${
  enough
    ? html`<button class="primary" name="decision" value="approve">Approve</button>`
    : html`<button class="primary" name="decision" value="later">Back to the game</button>`
}
<button class="secondary" name="decision" value="decline">Decline</button>
</form>`;
}

function mandateBox(
  { maxPerTransfer, maxPerDay, days }: NonNullable<ApprovalView['mandateOffer']>,
  name: string,
): Markup {
  const until = new Date(Date.now() + days * 86_400_000);
  return html`<label class="mandate"><input type="checkbox" name="mandate" value="on"><span>Allow <bdi>“${name}”</bdi> to spend up to
<strong>${withThousands(maxPerTransfer)} ${unit(maxPerTransfer)} at a time and ${withThousands(maxPerDay)} a day</strong> without asking, until
<time datetime="${until.toISOString().slice(0, 10)}">${readableDay(until)}</time></span></label>`;
}

function bigAmount(amount: Quarters): Markup {
  const digits = withThousands(amount);
  const size = digits.length <= 7 ? 'short' : digits.length <= 13 ? 'middle' : 'long';
  return html`<strong class="amount ${size}">${digits}</strong> <span class="unit">${unit(amount)}</span>`;
}

/** Says that a large payment needs a recent sign-in, or that there was one. */
function confirmationNote({ above, given }: Confirmation): Markup {
  return given
    ? html`<p class="hint" role="status">You’ve confirmed it’s you. You can approve this now.</p>`
    : html`<p class="hint">Payments above ${withThousands(above)} ${unit(above)} need your password or passkey again.</p>`;
}

/** The link from a payment's page to its report. It is a form, so that no token is in an address. */
function reportLink({ reportAction, formToken, context }: ApprovalPage): Markup {
  return html`<form class="aside" method="post" action="${reportAction}">
${contextFields(context, formToken)}
<button class="link">Report a problem</button>
</form>`;
}
