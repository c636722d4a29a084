import { html } from 'hono/html';
import { readableDay } from '../../base/dates.ts';
import { lesser, type Quarters, withThousands } from '../../base/quarters.ts';
import type { Confirmation } from '../../features/approvals/confirmation.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../settlement/service.ts';
import { ADDRESS_SCRIPT, OPENED_BY_SCRIPT, READY_SCRIPT } from '../../web/assets.ts';
import { branding } from '../../web/branding.ts';
import { cleanQueryAttribute } from '../../web/clean-query.ts';
import { hidden } from '../../web/fields.ts';
import { gameName, gameText } from '../../web/game-text.ts';
import { layout, type Markup, unit } from '../../web/layout.ts';
import { signInAddress } from '../../web/visitor.ts';
import { type ApprovalContext, asksWhoOpened } from './approval-context.ts';
import { reportLink } from './report-page.ts';

export type ApprovalPage = Omit<ApprovalView, 'outcome'> & {
  /** Where the form is sent. */
  readonly action: string;
  /** Where the link to report a problem leads. */
  readonly reportAction: string;
  /** How the page was opened. The form carries it on. */
  readonly visit: ApprovalContext;
  /** Why the last decision did not go through. */
  readonly notice?: string | undefined;
};

/** Asks the player for a decision: shows the game, the amount, what it is for and the balance after. */
export function approvalPage(page: ApprovalPage): Markup {
  const { app, request, balance, reward, missing, notice, visit } = page;
  const enough = missing === 0n;
  const fromReward = lesser(reward, request.amount);
  const fromBalance = request.amount - fromReward;
  const name = gameName(app.name);
  const description = gameText(request.description, 280);
  return layout(
    visit,
    'Approve a payment',
    html`<main${cleanQueryAttribute(visit.cleanQuery)}>
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
${reportLink({ ...page, action: page.reportAction })}
</main>`,
    READY_SCRIPT.path,
    visit.cleanQuery && ADDRESS_SCRIPT.path,
    asksWhoOpened(visit) ? OPENED_BY_SCRIPT.path : undefined,
  );
}

const UNCONFIRMED = 'Some of your quarters are still being confirmed. Open this again from the game in a moment.';

function form({ action, formToken, visit, mandateOffer, confirmation }: ApprovalPage, enough: boolean, name: string) {
  return html`<form method="post" action="${action}">
<input type="hidden" name="page_token" value="${formToken}">
${hidden('redirect_uri', visit.named)}
${hidden('inline', visit.inline ? 'true' : undefined)}
${hidden('frame_id', visit.frameId)}
${hidden('proof', visit.proof ? 'true' : undefined)}
${hidden('opened_by', visit.openedBy ?? (asksWhoOpened(visit) ? '' : undefined))}
${mandateOffer && enough && standingBox(mandateOffer, name)}
${confirmation && enough && confirmationNote(confirmation)}
${
  enough
    ? html`<button class="primary" name="decision" value="approve">Approve</button>`
    : html`<button class="primary" name="decision" value="later">Back to the game</button>`
}
<button class="secondary" name="decision" value="decline">Decline</button>
</form>`;
}

function standingBox(
  { maxPerTransfer, maxPerDay, days }: NonNullable<ApprovalView['mandateOffer']>,
  name: string,
): Markup {
  const until = new Date(Date.now() + days * 86_400_000);
  return html`<label class="standing"><input type="checkbox" name="standing" value="on"><span>Allow <bdi>“${name}”</bdi> to spend up to
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

/**
 * The address to sign in again, which leads back to the payment with the same parameters. The decision itself is not part of
 * it: a game could send a player to an address that approves or ticks the box.
 */
export function confirmAddress(
  { settings }: Pick<Service, 'settings'>,
  { request: { id } }: Pick<ApprovalView, 'request'>,
  { named, inline, frameId, proof, openedBy }: ApprovalContext,
): string {
  const query = new URLSearchParams({
    ...(named !== undefined && { redirect_uri: named }),
    ...(inline && { inline: 'true' }),
    ...(frameId !== undefined && { frame_id: frameId }),
    ...(proof && { proof: 'true' }),
    ...(openedBy !== undefined && { opened_by: openedBy }),
  });
  return signInAddress(`${settings.approvalPath ?? ''}/requests/${id}?${query}`, true);
}
