import type { Page } from 'playwright-core';
import { withContext } from '../../../src/base/log.ts';
import { updateApp } from '../../../src/features/apps/update-app.ts';
import { recordChange } from '../../../src/operator-log/record.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import { checkLogDaily } from '../../../src/wings/operators-log/features/check-log-daily.ts';
import { chainEntries } from '../../../src/wings/operators-log/store/chain.ts';
import { verifyApp } from '../../../test/kit/service/operator-acts.ts';
import { ageLogHead, rewriteLog } from '../../../test/rows/operator-log.ts';
import { type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** Changes by an operator, a shell and a player, and a verification. */
async function toEntries(page: Page, { service, operator, games, ada, origin }: World): Promise<void> {
  const { db } = service;
  const { id } = games.plain;
  const context = {
    actor: 'operator',
    client: '203.0.113.7',
    requestId: '0199f5c2-7d1e-7a44-9c11-2f6f0d0c81b7',
  } as const;
  await withContext({ ...context, userId: operator.userId }, () => verifyApp(service, id));
  const details = {
    name: 'Dungeon of Doom',
    redirectUris: ['https://dungeon.example/back', 'https://dungeon.example/done'],
  };
  await withContext({ actor: 'operator', osUser: 'root', command: 'apps update' }, () =>
    updateApp(service, OPERATOR, id, details),
  );
  await withContext({ ...context, userId: operator.userId }, () =>
    db.transaction((tx) =>
      recordChange(tx, {
        action: 'user-frozen',
        subject: { kind: 'user', id: ada.userId },
        before: { frozen: false },
        after: { frozen: true },
        reason: 'Reported by three players for selling quarters outside of the game. Waits for an answer by mail.',
      }),
    ),
  );
  // The page shows an entry once a job has given it its place.
  await db.transaction((tx) => chainEntries(tx, 500));
  await ageLogHead(db);
  await checkLogDaily(service);
  await page.goto(`${origin}/operator/log`);
  await page.getByText('User frozen').last().waitFor();
}

const SCENES: Record<string, Scene['open']> = {
  entries: toEntries,
  'nothing found': async (page, world) => {
    await toEntries(page, world);
    await page.getByLabel('Action').selectOption('log-pruned');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('No entries match.').waitFor();
  },
  'a frozen user': async (page, world) => {
    await toEntries(page, world);
    await page
      .getByRole('row', { name: /User frozen/ })
      .first()
      .getByRole('link')
      .first()
      .click();
    await page.getByText('selling quarters').waitFor();
  },
  'a changed app': async (page, world) => {
    await toEntries(page, world);
    await page
      .getByRole('row', { name: /App changed.*root/ })
      .first()
      .getByRole('link')
      .first()
      .click();
    await page.getByText('What changed').waitFor();
  },
  'not whole': async (page, world) => {
    await rewriteLog(world.service.db, 'change', 3);
    await toEntries(page, world);
    await page.getByText('Not whole').waitFor();
  },
};

export const OPERATOR_LOG_SCENES: readonly Scene[] = scenesOf('operator-log', SCENES, {
  as: ({ operator }) => operator,
});
