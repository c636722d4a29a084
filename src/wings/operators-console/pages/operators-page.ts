import { html } from 'hono/html';
import type { UserId } from '../../../base/ids.ts';
import { listOperators } from '../../../features/operators/operators.ts';
import type { OperatorRow } from '../../../identity/operators.ts';
import { consoleTime, panel, sendConsolePage } from '../../../pages/consoles/console.ts';
import { type OperatorRoutes, operatorPage } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import type { Markup } from '../../../web/layout.ts';
import type { Visitor } from '../../../web/visitor.ts';
import { actionForm } from './actions/forms.ts';

const PATH = '/operator/operators';

/** GET /operator/operators lists who has the role, with forms to give it and to take it away. */
export function operatorsRoute(operators: OperatorRoutes, service: Service): void {
  operators.get(PATH, async (_request, reply, visitor) => {
    const content = html`${operatorList(visitor, await listOperators(service))}
${panel(
  'Add an operator',
  html`<p>They need an account with a passkey.</p>
${actionForm(visitor, PATH, { kind: 'add-operator', button: 'Continue' })}`,
)}`;
    return sendConsolePage(reply, operatorPage(visitor, 'operators', { title: 'Operators', content }));
  });
}

function operatorList(visitor: Visitor, operators: readonly OperatorRow[]): Markup {
  const row = ({ userId, displayName, email, passkeys, addedAt }: OperatorRow) => html`<li>
<div><strong><bdi>${displayName}</bdi></strong>${userId === visitor.user.id && ' (you)'}
<p class="hint"><bdi>${email}</bdi> · ${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'} · since ${consoleTime(addedAt)}</p></div>
${operators.length > 1 && removal(visitor, userId, displayName)}
</li>`;
  return html`<section class="card">
<ul class="rows">${operators.map(row)}</ul>
</section>`;
}

function removal(visitor: Visitor, user: UserId, displayName: string): Markup {
  return html`<details class="more"><summary aria-label="Remove ${displayName}…">Remove…</summary>
${actionForm(visitor, PATH, { kind: 'remove-operator', known: { user }, name: user, button: 'Continue' })}
</details>`;
}
