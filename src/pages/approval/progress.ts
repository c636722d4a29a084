import type { FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import type { ApprovalView } from '../../usecases/guest/open-approval.ts';
import type { NotDecided, Outcome } from '../../usecases/guest/outcome.ts';
import { issueProgressToken } from '../../usecases/guest/progress-token.ts';
import type { Service } from '../../usecases/service.ts';
import { isFramed } from '../../web/arrival.ts';
import type { Markup } from '../../web/layout.ts';
import type { Visit } from './visit.ts';

/** How far an approved payment is on the chain. */
export type Progress = {
  /** Where to ask how it goes on; undefined: it is confirmed. */
  readonly address: string | undefined;
};

/**
 * For a page that stays in front of the player: not in a frame or in a window of its own, which the game closes at the result, nor
 * where an address is gone to.
 */
export function progressFor(
  service: Service,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { redirect, openedBy }: Visit,
  { request, byGuest }: Pick<ApprovalView, 'request' | 'byGuest'>,
  outcome: Pick<Outcome | NotDecided, 'kind'>,
): Progress | undefined {
  if (outcome.kind !== 'approved' || redirect !== undefined || openedBy === 'frame' || isFramed(headers))
    return undefined;
  if (request.status === 'completed') return { address: undefined };
  const path = `${service.settings.approvalPath ?? ''}/requests/${request.id}/progress`;
  // A full user's session opens it.
  return { address: byGuest ? `${path}?token=${issueProgressToken(service, request.id)}` : path };
}

/** Two words while all goes well; the script changes them in their place. */
export function progressPanel({ address }: Progress): Markup {
  if (address === undefined) return html`<p class="progress" data-status="completed">Confirmed</p>`;
  return html`<p class="progress" role="status" data-status="submitted" data-progress="${address}">On its way</p>
<noscript><p class="hint">Load this page again to see whether it is confirmed.</p></noscript>`;
}
