import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { performAction } from '../../../src/features/operator-actions/perform-action.ts';
import { insertReportRows } from '../../../test/rows/requests.ts';
import { press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** An action by somebody else. Above the limit it waits for Olga. */
async function actionOf({ service, games }: World, quarters: number): Promise<string> {
  const strict = { ...service, settings: { ...service.settings, fourEyesAbove: 1000n as never } };
  const { action } = await performAction(
    strict,
    { kind: 'shell', osUser: 'deploy' },
    {
      id: randomUUID(),
      kind: 'issue',
      params: { recipient: games.verified.id, quarters },
      reason: 'Prizes of the spring cup, agreed with the studio',
    },
  );
  return action.id;
}

async function fillIn(page: Page, { origin, games }: World, quarters: string): Promise<void> {
  await page.goto(`${origin}/operator/issue`);
  await page.getByLabel('Recipient').fill(games.verified.id);
  await page.getByLabel('Quarters').fill(quarters);
  await page.getByLabel('Reason').fill('Prizes of the spring cup');
  await press(page, 'Continue');
  await page.waitForLoadState();
}

const SCENES: Record<string, Scene['open']> = {
  'issue form': (page, { origin }) => page.goto(`${origin}/operator/issue`),
  'reward form': (page, { origin }) => page.goto(`${origin}/operator/reward`),
  'issue confirmation': (page, world) => fillIn(page, world, '250'),
  'issue too large': (page, world) => fillIn(page, world, '9007199254740991'),
  'limits refused': async (page, { origin, games }) => {
    await page.goto(`${origin}/operator/apps/${games.plain.id}`);
    const form = page
      .locator('details', { hasText: 'auto approval…' })
      .filter({ has: page.getByLabel('Players agree') });
    await form.locator('summary').click();
    await form.getByLabel('Most per payment').fill('50');
    await form.getByLabel('Most per day').fill('5');
    await form.getByLabel('Reason').fill('Agreed with the studio');
    await press(form, 'Continue');
    await page.waitForLoadState();
  },
  'waiting action': async (page, world) => {
    const id = await actionOf(world, 250_000);
    await page.goto(`${world.origin}/operator/actions/${id}`);
  },
  actions: async (page, world) => {
    await actionOf(world, 120);
    await page.goto(`${world.origin}/operator/actions`);
  },
  reports: async (page, { origin, service, games, ada }) => {
    await insertReportRows(service.db, [{ appId: games.plain.id, userId: ada.userId }]);
    await page.goto(`${origin}/operator/player-reports`);
    await page.locator('summary').first().click();
  },
};

export const OPERATOR_ACTION_SCENES: readonly Scene[] = scenesOf('operator-actions', SCENES, {
  as: ({ operator }) => operator,
});
