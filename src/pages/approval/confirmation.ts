import { html } from 'hono/html';
import { withThousands } from '../../base/quarters.ts';
import type { Confirmation } from '../../features/approvals/confirmation.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../settlement/service.ts';
import { type Markup, unit } from '../../web/layout.ts';
import { signInAddress } from '../../web/visitor.ts';
import type { Visit } from './approval-context.ts';

/** Says that a large payment needs a recent sign-in, or that there was one. */
export function confirmationNote({ above, given }: Confirmation): Markup {
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
  { named, inline, frameId, proof, openedBy }: Visit,
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
