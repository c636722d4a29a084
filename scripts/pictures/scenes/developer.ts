import type { Page } from 'playwright-core';
import { press, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

async function register(page: Page, world: World) {
  await page.goto(`${world.origin}/developer/apps/new`);
  await page.getByLabel('Name').fill('Meadow');
  await page.getByLabel('Redirect addresses').fill('https://game.example/back');
  await press(page, 'Register');
  await page.getByRole('heading', { name: 'Meadow is registered' }).waitFor();
}

const toApp = async (page: Page, world: World) => {
  await register(page, world);
  await press(page, 'I’ve saved it');
};

const toSection = async (page: Page, world: World, section: string) => {
  await toApp(page, world);
  await page.getByRole('link', { name: section, exact: true }).click();
};

const SCENES: Record<string, Scene['open']> = {
  'no apps': (page, world) => page.goto(`${world.origin}/developer`),
  'new app': (page, world) => page.goto(`${world.origin}/developer/apps/new`),
  'new app, wrong': async (page, world) => {
    await page.goto(`${world.origin}/developer/apps/new`);
    await page.getByLabel('Name').fill('Space Race');
    await page.getByLabel('Redirect addresses').fill('http://game.example/back');
    await press(page, 'Register');
    await page.locator('[aria-invalid]').waitFor();
  },
};

const OWNING: Record<string, Scene['open']> = {
  registered: register,
  app: toApp,
  keys: (page, world) => toSection(page, world, 'Keys'),
  settings: (page, world) => toSection(page, world, 'Settings'),
  apps: async (page, world) => {
    await toApp(page, world);
    await page.goto(`${world.origin}/developer`);
  },
};

const search = async (page: Page) => {
  await page.keyboard.press('/');
  await page.keyboard.type('refund');
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('ArrowDown');
};

const DOCS: Record<string, Scene['open']> = {
  'docs, start': (page, world) => page.goto(`${world.origin}/docs`),
  'docs, guide': (page, world) => page.goto(`${world.origin}/docs/guides/webhooks`),
  'docs, tutorial': (page, world) => page.goto(`${world.origin}/docs/guides/tutorial`),
  'docs, reference': (page, world) => page.goto(`${world.origin}/docs/reference/transfers`),
  'docs, problems': (page, world) => page.goto(`${world.origin}/docs/reference/problems`),
  'docs, results': (page, world) => page.goto(`${world.origin}/docs/search?q=limit`),
};

/** They cover a part of the page. */
const DOCS_OPEN: Record<string, Scene['open']> = {
  'docs, search': async (page, world) => {
    await page.goto(`${world.origin}/docs/guides/api`);
    await search(page);
  },
  'docs, menu': async (page, world) => {
    await page.goto(`${world.origin}/docs/reference/users`);
    await page.getByRole('button', { name: 'Menu' }).click();
  },
};

const REFERENCE: Record<string, Scene['open']> = {
  tour: (page, world) => page.goto(`${world.origin}/tour`),
};

export const DEVELOPER_SCENES: readonly Scene[] = [
  ...scenesOf('developer', SCENES, { as: ({ newcomer }) => newcomer }),
  ...scenesOf('developer', OWNING, { as: ({ developer }) => developer }),
  ...scenesOf('developer', REFERENCE),
  ...scenesOf('developer', DOCS),
  ...scenesOf('developer', DOCS_OPEN, { screenOnly: true }),
];
