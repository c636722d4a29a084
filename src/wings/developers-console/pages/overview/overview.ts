import { html } from 'hono/html';
import { type Address, toChecksum } from '../../../../base/address.ts';
import { Problem } from '../../../../base/problems.ts';
import type { App } from '../../../../identity/apps.ts';
import { findAccounts } from '../../../../ledger/accounts.ts';
import { APP_OVERVIEW, type AppOverview } from '../../../../pages/additions.ts';
import { appConsolePage, appIdOf } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { hasBeenAnswered } from '../../../../requests/request-list.ts';
import { loadAll } from '../../../../service/house.ts';
import { appFor, asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import type { Markup, Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes } from '../../../../web/visitor.ts';
import { appIdentity } from '../keys/secrets-page.ts';
import { quartersHint } from '../quarters-hint.ts';
import { firstSteps } from './first-steps.ts';
import { TEST_QUARTERS_GIVEN, testQuartersPanel, testQuartersRoute } from './test-quarters.ts';

/** GET /developer/apps/{id} shows how an app is doing, and leads a new one to its first payment. */
export function overviewRoutes(visitors: SignedInRoutes, service: Service): void {
  testQuartersRoute(visitors, service);
  visitors.get('/developer/apps/:id', async (request, reply, visitor) => {
    const { session } = visitor;
    const app = await appFor(service, asDeveloper(session), appIdOf(request), 'read');
    const shows = await loadAll(service.house, APP_OVERVIEW);
    const [[account], isUsed, shown] = await Promise.all([
      findAccounts(service.db, { apps: [app.id] }),
      hasBeenAnswered(service.db, app.id),
      Promise.all(shows.map((show) => show(service, app, request.query))),
    ]);
    if (!account) throw new Problem('not-found', 'The app has no account.');
    const again = shown.flatMap(({ againAfter }) => againAfter ?? []);
    if (again.length > 0) void reply.header('refresh', String(Math.min(...again)));
    const isGiven = service.development && parameter(request.query, 'given') === 'true';
    const hint = service.development ? testQuartersPanel(visitor, app) : quartersHint(service, app, account.posted);
    return sendConsolePage(
      reply,
      overviewPage(service, { app, address: account.address, shown, isUsed, isGiven, hint }),
    );
  });
}

type View = {
  readonly app: App;
  /** Of its account. */
  readonly address: Address;
  readonly shown: readonly AppOverview[];
  /** Players have answered its requests. */
  readonly isUsed: boolean;
  /** It has just got test quarters. */
  readonly isGiven: boolean;
  /** Where quarters come from. */
  readonly hint: Markup | false;
};

function overviewPage(service: Service, { app, address, shown, isUsed, isGiven, hint }: View): Page {
  const account = toChecksum(address);
  const about = html`${appIdentity(app, account)}
<p class="hint">Players’ payments arrive in this account, and your payouts come from it.</p>`;
  if (!isUsed) {
    const content = html`${isGiven && TEST_QUARTERS_GIVEN}${hint}${firstSteps(service, app, account)}${about}`;
    return appConsolePage(app, 'overview', { title: 'Overview', content });
  }
  const content = html`${isGiven && TEST_QUARTERS_GIVEN}${shown.map(({ figures }) => figures)}
${hint}
${shown.map(({ content }) => content)}
${about}`;
  const scripts = shown.flatMap(({ scripts = [] }) => scripts);
  const action = html`${shown.map(({ action }) => action)}`;
  return appConsolePage(app, 'overview', { title: 'Overview', content, scripts, action });
}
