import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { ApprovalOutcome, NotAccepted } from '../../features/approvals/approve-or-decline.ts';
import type { ApprovalView } from '../../features/approvals/open-approval.ts';
import { issueProgressToken } from '../../features/approvals/page-access.ts';
import type { Service } from '../../settlement/service.ts';
import type { Markup } from '../../web/layout.ts';
import { isFramed } from '../../web/request-parameters.ts';
import type { ApprovalContext } from './approval-context.ts';

/** How far an approved payment is on the chain. */
export type ProgressView = {
  /** Where the page reads news. Undefined: the payment is confirmed. */
  readonly address: string | undefined;
};

/**
 * The progress of a payment on a page that stays open. Undefined: the game closes the frame or window at the result, or the
 * player is sent to an address.
 */
export function progressFor(
  service: Service,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { redirect, openedBy }: ApprovalContext,
  { request, byGuest }: Pick<ApprovalView, 'request' | 'byGuest'>,
  outcome: Pick<ApprovalOutcome | NotAccepted, 'kind'>,
): ProgressView | undefined {
  if (outcome.kind !== 'approved' || redirect !== undefined || openedBy === 'frame' || isFramed(headers))
    return undefined;
  if (request.status === 'completed') return { address: undefined };
  const path = `${service.settings.approvalPath ?? ''}/requests/${request.id}/progress`;
  // A full user is known by the session, a guest by the token.
  return { address: byGuest ? `${path}?token=${issueProgressToken(service, request.id)}` : path };
}

/** Shows the state in one line, which the script updates in place. */
export function progressPanel({ address }: ProgressView): Markup {
  if (address === undefined) return html`<p class="progress" data-status="completed">Confirmed</p>`;
  return html`<p class="progress" role="status" data-status="submitted" data-progress="${address}">On its way</p>
<noscript><p class="hint">Reload this page to see if it’s confirmed.</p></noscript>`;
}
