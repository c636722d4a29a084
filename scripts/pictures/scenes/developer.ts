import type { FastifyReply } from 'fastify';
import type { Page } from 'playwright-core';
import type { AppId } from '../../../src/base/ids.ts';
import { createApp } from '../../../src/features/apps/create-app.ts';
import { noteRefusedInvitation } from '../../../src/identity/app-invitations.ts';
import { asDeveloper } from '../../../src/service/managers.ts';
import { keepForm } from '../../../src/web/form-drafts.ts';
import { inviteMember } from '../../../src/wings/developers-console/features/invitations.ts';
import { addMember } from '../../../test/kit/service/developer.ts';
import { newDeveloper, press, type Scene, scenesOf } from '../scene.ts';
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

/** An admin with a long name, somebody invited, and the visitor's own invitation. */
const toTeam = async (page: Page, world: World) => {
  await toApp(page, world);
  const id = new URL(page.url()).pathname.split('/')[3] as AppId;
  const by = asDeveloper(world.developer.session);
  await addMember(world, id, world.longNamed, 'admin');
  await addMember(world, id, world.newcomer, 'viewer');
  for (const email of ['kim@mail.example', 'kim@mial.example']) {
    await inviteMember(world.service, by, id, { email, role: 'developer' });
  }
  await noteRefusedInvitation(world.service.db, id, 'kim@mial.example');
  await page.goto(`${world.origin}/developer/apps/${id}/team`);
};

/** The page sends the form on by itself, unless its script is missing. */
const toKeptForm = async (page: Page, { origin, service, developer }: World) => {
  const form = {
    url: '/developer/apps/x/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { name: 'Meadow' },
  };
  const cookies: { name: string; value: string; url: string }[] = [];
  const reply = {
    setCookie: (name: string, value: string) => cookies.push({ name, value, url: origin }),
  } as unknown as FastifyReply;
  const draft = { userId: developer.userId, action: 'change the details of your app' };
  const path = await keepForm(service, form, reply, draft);
  await page.context().addCookies(cookies);
  await page.route('**/continue.js', (route) => route.abort());
  await page.goto(`${origin}${path}`);
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

const REGISTERING: Record<string, Scene['open']> = {
  registered: register,
  app: toApp,
  keys: (page, world) => toSection(page, world, 'Keys'),
  'keys, named': async (page, world) => {
    await toSection(page, world, 'Keys');
    await page.getByLabel('Name').first().fill('Game server');
    await press(page, 'Create a server key');
    await press(page, 'I’ve saved it');
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByText('Game server').first().waitFor();
  },
  settings: (page, world) => toSection(page, world, 'Settings'),
  deleting: async (page, world) => {
    await toSection(page, world, 'Settings');
    const id = new URL(page.url()).pathname.split('/')[3]!;
    await world.issue(id, 1_250);
    await page.getByRole('link', { name: 'Delete this app…' }).click();
  },
};

const OWNING: Record<string, Scene['open']> = {
  team: toTeam,
  'team, changing': async (page, world) => {
    await toTeam(page, world);
    await page
      .getByLabel(/^Change/)
      .first()
      .click();
  },
  'kept form': toKeptForm,
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
  'docs, operate': (page, world) => page.goto(`${world.origin}/docs/operate`),
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

const INVITED: Record<string, Scene['open']> = {
  invited: async (page, world) => {
    const by = asDeveloper(world.developer.session);
    const details = { redirectUris: [], frameAncestors: [], resultOrigins: [], topUpUrl: null, publicClient: false };
    const { app } = await createApp(world.service, by, { name: 'Meadow', ...details });
    await inviteMember(world.service, by, app.id, { email: world.player.email, role: 'admin' });
    await page.goto(`${world.origin}/developer`);
  },
};

const REFERENCE: Record<string, Scene['open']> = {
  tour: (page, world) => page.goto(`${world.origin}/tour`),
};

export const DEVELOPER_SCENES: readonly Scene[] = [
  ...scenesOf('developer', SCENES, { as: ({ newcomer }) => newcomer }),
  ...scenesOf('developer', REGISTERING, { as: newDeveloper }),
  ...scenesOf('developer', OWNING, { as: ({ developer }) => developer }),
  ...scenesOf('developer', INVITED, { as: ({ player }) => player }),
  ...scenesOf('developer', REFERENCE),
  ...scenesOf('developer', DOCS),
  ...scenesOf('developer', DOCS_OPEN, { screenOnly: true }),
];
