import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import { en } from '../../../../../words/en.ts';
import { giveMoreTestQuarters, TEST_QUARTERS } from '../../../../features/apps/test-quarters.ts';
import { appIdOf, appPath, pathOfApp } from '../../../../pages/consoles/app-frame.ts';
import { consoleForm, panel } from '../../../../pages/consoles/console.ts';
import { asDeveloper, type ManagedApp, mayManage } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { hidden } from '../../../../web/fields.ts';
import type { Markup } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';

/** POST /developer/apps/{id}/test-quarters gives an app more of them. Only a service in development mode has this path. */
export function testQuartersRoute(visitors: SignedInRoutes, service: Service): void {
  if (!service.development) return;
  visitors.post(
    '/developer/apps/:id/test-quarters',
    { action: 'get more test quarters' },
    async (request, reply, { session }) => {
      const formId = parameter(request.body, 'form') ?? '';
      await giveMoreTestQuarters(service, asDeveloper(session), appIdOf(request), formId);
      return reply.redirect(`${appPath(request)}?given=true`, 303);
    },
  );
}

/** The button, in a form with an id of its own: sent twice, it gives them once. False for whom it would refuse. */
export function testQuartersPanel(visitor: Pick<Visitor, 'csrf'>, app: ManagedApp): Markup | false {
  if (!mayManage(app, 'test-quarters')) return false;
  const path = pathOfApp(app.id);
  const button = html`${hidden('form', randomUUID())}<button class="secondary">More test quarters</button>`;
  return panel(
    'Test quarters',
    html`<p>A new app gets ${en.quarters(TEST_QUARTERS)} to test with. Get as many again whenever you need them.</p>
${consoleForm(visitor, `${path}/test-quarters`, path, button)}`,
  );
}

/** For the page after that form. */
export const TEST_QUARTERS_GIVEN: Markup = html`<p class="notice good" role="status">${en.quarters(TEST_QUARTERS)} are on their way. They arrive with the next block.</p>`;
