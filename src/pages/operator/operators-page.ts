import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { listOperators } from '../../features/operators/operators.ts';
import type { OperatorRow } from '../../identity/operators.ts';
import type { Service } from '../../settlement/service.ts';
import { consoleTime, sendConsolePage } from '../../web/console.ts';
import type { Markup } from '../../web/layout.ts';
import { forOperators, operatorPage } from './operator-frame.ts';

/** GET /operator/operators lists who has the role. */
export function operatorsRoute(pages: FastifyInstance, service: Service): void {
  pages.get(
    '/operator/operators',
    forOperators(service, async (_request, reply, visitor) => {
      const content = operatorList(await listOperators(service));
      return sendConsolePage(reply, operatorPage(visitor, 'operators', { title: 'Operators', content }));
    }),
  );
}

function operatorList(operators: readonly OperatorRow[]): Markup {
  const row = ({ displayName, email, passkeys, addedAt }: OperatorRow) =>
    html`<tr><td data-label="Name"><bdi>${displayName}</bdi></td><td data-label="E-mail">${email}</td><td data-label="Passkeys" class="number">${passkeys}</td><td data-label="Since">${consoleTime(addedAt)}</td></tr>`;
  return html`<section class="card">
<table class="data">
<thead><tr><th scope="col">Name</th><th scope="col">E-mail</th><th scope="col" class="number">Passkeys</th><th scope="col">Since</th></tr></thead>
<tbody>${operators.map(row)}</tbody>
</table>
</section>`;
}
