import { html } from 'hono/html';
import { en } from '../../../../words/en.ts';
import type { Quarters } from '../../../base/quarters.ts';
import type { App } from '../../../identity/apps.ts';
import { panel } from '../../../pages/consoles/console.ts';
import type { Service } from '../../../service/service.ts';
import { copyBlock } from '../../../web/copyable.ts';
import type { Markup } from '../../../web/layout.ts';

/** Says who gives an app quarters, and how. False while it has some. `balance`: what it can spend. */
export function quartersHint(
  { settings: { supportUrl } }: Pick<Service, 'settings'>,
  { id }: Pick<App, 'id'>,
  balance: Quarters,
): Markup | false {
  if (balance > 0n) return false;
  const ask = supportUrl ? html`<a href="${supportUrl}" rel="noreferrer">Ask the operator</a>` : 'Ask the operator';
  return panel(
    'Get quarters',
    html`<p>Your app has no quarters yet, so it can’t pay players. The operator of this service issues them. ${ask} to run:</p>
${copyBlock(en, `npx quarters issue ${id} 1000`, 'command that issues quarters')}`,
  );
}
