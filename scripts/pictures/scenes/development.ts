import type { Page } from 'playwright-core';
import { createApp } from '../../../src/features/apps/create-app.ts';
import { ensureDemoOwner } from '../../../src/features/sessions/sign-in-link.ts';
import { OPERATOR } from '../../../src/service/managers.ts';
import { signIn } from '../../../test/kit/service/people.ts';
import { press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

/** Signs in the owner of the demo app, who confirmed so many minutes ago. Returns the service's address and the owner. */
async function asOwner(page: Page, world: World, minutesAgo = 0) {
  const development = await world.inDevelopment();
  const ownerId = await ensureDemoOwner(development.service);
  const { cookie } = await signIn(development, ownerId, minutesAgo);
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: development.origin }]);
  return { ...development, ownerId };
}

const SCENES: Record<string, Scene['open']> = {
  'sign in': async (page, world) => page.goto(`${(await world.inDevelopment()).origin}/sign-in?return_to=/developer`),
  'confirm by link': async (page, world) => {
    const { origin } = await asOwner(page, world, 60);
    await page.goto(`${origin}/sign-in?again=true&return_to=/developer`);
  },
  'new app': async (page, world) => page.goto(`${(await asOwner(page, world)).origin}/developer/apps/new`),
  registered: async (page, world) => {
    await page.goto(`${(await asOwner(page, world)).origin}/developer/apps/new`);
    await page.getByLabel('Name').fill('Meadow');
    await press(page, 'Register');
    await page.getByRole('heading', { name: 'Meadow is registered' }).waitFor();
  },
  'no quarters': async (page, world) => {
    const { origin, service, ownerId } = await asOwner(page, world);
    const { app } = await createApp(service, OPERATOR, { name: 'Broke', ownerId, testQuarters: false });
    await page.goto(`${origin}/developer/apps/${app.id}`);
  },
  tour: async (page, world) => page.goto(`${(await world.inDevelopment()).origin}/tour`),
  link: async (page, world) => page.goto(`${(await world.inDevelopment()).origin}/sign-in/link?token=x`),
};

const REFUSED: Record<string, Scene['open']> = {
  'link used': async (page, world) => {
    await page.goto(`${(await world.inDevelopment()).origin}/sign-in/link?token=x`);
    await page.getByRole('button', { name: 'Sign in' }).click();
  },
};

export const DEVELOPMENT_SCENES: readonly Scene[] = [
  ...scenesOf('development', SCENES),
  ...scenesOf('development', REFUSED, { refuses: true }),
];
