import type { Page } from 'playwright-core';
import type { AppId } from '../../../src/base/ids.ts';
import { fillDeliveries } from '../../../test/kit/service/deliveries.ts';
import { newDeveloper, press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** Opens the webhooks of a new app. */
async function toWebhooks(page: Page, world: World): Promise<AppId> {
  await page.goto(`${world.origin}/developer/apps/new`);
  await page.getByLabel('Name').fill('Meadow');
  await press(page, 'Register');
  await press(page, 'I’ve saved it');
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  return new URL(page.url()).pathname.split('/')[3] as AppId;
}

/** An endpoint with deliveries in every state. */
async function toEndpoint(page: Page, world: World): Promise<void> {
  const appId = await toWebhooks(page, world);
  await page.getByLabel('URL').fill('https://game.invalid/quarters/events');
  await press(page, 'Add endpoint');
  await page.getByRole('heading', { name: 'Your webhook secret' }).waitFor();
  await fillDeliveries(world, appId);
  await press(page, 'I’ve saved it');
}

const SCENES: Record<string, Scene['open']> = {
  'no endpoint': toWebhooks,
  refused: async (page, world) => {
    await toWebhooks(page, world);
    await page.getByLabel('URL').fill('http://localhost:3000/hook');
    await press(page, 'Add endpoint');
    await page.locator('[aria-invalid]').waitFor();
  },
  'an endpoint': toEndpoint,
  endpoints: async (page, world) => {
    await toEndpoint(page, world);
    await page.getByRole('link', { name: 'All endpoints' }).click();
  },
  'an event that failed': async (page, world) => {
    await toEndpoint(page, world);
    await page.getByRole('link', { name: 'request.failed' }).click();
  },
  'a test event': async (page, world) => {
    await toEndpoint(page, world);
    await press(page, 'Send test event');
    await page.getByText('Sent.').waitFor();
  },
  events: async (page, world) => {
    await toEndpoint(page, world);
    await page.goto(page.url().replace(/webhooks.*/, 'events'));
  },
};

export const WEBHOOK_SCENES: readonly Scene[] = scenesOf('webhooks', SCENES, { as: newDeveloper });
