import { html } from 'hono/html';
import { PROBLEMS } from '../../../base/problems.ts';
import type { RefusedKind } from '../../../service/moments.ts';
import type { Markup } from '../../../web/layout.ts';

/** What was refused. */
export const REFUSED_KINDS: Readonly<Record<RefusedKind, string>> = {
  request: 'Request of the app',
  approval: 'Approval by the player',
  'auto-approval': 'Auto approval',
  payout: 'Payout',
  refund: 'Refund',
};

/** A problem's code, with what it means. */
export function refusalReason(code: string): Markup {
  const title = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code as keyof typeof PROBLEMS].title : '';
  return html`<code>${code}</code> <span class="hint">${title}</span>`;
}
