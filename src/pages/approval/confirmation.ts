import { html } from 'hono/html';
import { withThousands } from '../../base/quarters.ts';
import type { Confirmation } from '../../usecases/confirmation.ts';
import type { ApprovalView } from '../../usecases/guest/open-approval.ts';
import type { Service } from '../../usecases/service.ts';
import { type Markup, unit } from '../../web/layout.ts';
import { signInAddress } from '../../web/visitor.ts';
import type { Visit } from './visit.ts';

/** Says that a large payment needs a proof of who somebody is, or that it was given. */
export function confirmationNote({ above, given }: Confirmation): Markup {
  return given
    ? html`<p class="hint" role="status">You have just proved that it is you. You can approve this now.</p>`
    : html`<p class="hint">Payments above ${withThousands(above)} ${unit(above)} need your password or passkey again.</p>`;
}

/**
 * To prove it, and back to the payment as it was opened, where approving goes through then. Nothing of the decision itself comes
 * along: an address that approves, or ticks the box, is one a game could send a player to.
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
