import type { Page } from 'playwright-core';
import { createApp } from '../../../src/features/apps/create-app.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import { asDeveloper } from '../../../src/service/managers.ts';
import { guestPath } from '../../../test/kit/service/conversion.ts';
import type { TestApp } from '../../../test/kit/service/service.ts';
import { freeze, suspend } from '../../../test/kit/service/stopping.ts';
import { asUser } from '../../../test/kit/unit/callers.ts';
import { openFramed, type Scene, scenesOf } from '../scene.ts';
import type { World } from '../world.ts';

const open = (path: string) => (page: Page, world: World) => page.goto(world.origin + path);

async function newGame({ createApp: create, site }: World): Promise<TestApp> {
  return create({ name: 'Dragon Vault', frameAncestors: [site] });
}

/** A guest is asked for quarters, and then the operator stops one of them. Returns the payment's address. */
async function askGuest(world: World, what: 'guest' | 'game'): Promise<string> {
  const game = await newGame(world);
  const guest = await world.guest(game, 100);
  const asked = { tokens: 40, appId: game.id, description: 'A golden rook' };
  const { id } = await createRequest(world.service, asUser(guest.userId, game.id), asked);
  await (what === 'guest' ? freeze(world.service, guest.userId) : suspend(world.service, game.id));
  return `${world.origin}/requests/${id}?${new URLSearchParams({ firebase_token: guest.pageToken, inline: 'true' })}`;
}

async function suspendedApp({ service, developer }: World): Promise<string> {
  const details = { name: 'Dragon Vault', redirectUris: [], frameAncestors: [], resultOrigins: [], topUpUrl: null };
  const { app } = await createApp(service, asDeveloper(developer.session), { ...details, publicClient: false });
  await suspend(service, app.id);
  return `/developer/apps/${app.id}`;
}

const PLAYERS: Record<string, Scene['open']> = {
  'payment of a frozen guest': async (page, world) => page.goto(await askGuest(world, 'guest')),
  'payment to a suspended game': async (page, world) => page.goto(await askGuest(world, 'game')),
  'payment, back to the game': async (page, world) => {
    await page.goto(await askGuest(world, 'game'));
    await page.locator('[value=later]').click();
    await page.locator('.sign').waitFor();
  },
};

const REFUSED: Record<string, Scene['open']> = {
  'guest of a suspended game signs up': async (page, world) => {
    const game = await newGame(world);
    const guest = await world.guest(game);
    await suspend(world.service, game.id);
    await page.goto(world.origin + guestPath(game, guest));
  },
  'sign-in to a suspended game': async (page, world) => {
    const game = await newGame(world);
    await suspend(world.service, game.id);
    await page.goto(`${world.origin}/oauth/authorize?response_type=code&client_id=${game.id}`);
  },
};

const FROZEN: Record<string, Scene['open']> = {
  'frozen account': open('/account'),
  'frozen account, passkeys': open('/account/passkeys'),
  'frozen account, payment': async (page, world) => {
    const { id: appId } = world.games.verified;
    const { id } = await createRequest(world.service, asUser(world.frozen.userId, appId), { tokens: 40, appId });
    await page.goto(`${world.origin}/requests/${id}`);
  },
};

const FROZEN_REFUSED: Record<string, Scene['open']> = {
  'frozen account, e-mail': open('/account/email'),
};

const DEVELOPERS: Record<string, Scene['open']> = {
  'suspended app, overview': async (page, world) => page.goto(world.origin + (await suspendedApp(world))),
  'suspended app, keys': async (page, world) => page.goto(`${world.origin}${await suspendedApp(world)}/keys`),
  'suspended app, in the list': async (page, world) => {
    await suspendedApp(world);
    await page.goto(`${world.origin}/developer`);
  },
};

export const STOPPED_SCENES: readonly Scene[] = [
  ...scenesOf('stopped', PLAYERS),
  ...scenesOf('stopped', REFUSED, { refuses: true }),
  ...scenesOf(
    'stopped',
    {
      'framed, payment to a suspended game': async (page, world) =>
        openFramed(page, world, await askGuest(world, 'game')),
    },
    { screenOnly: true },
  ),
  ...scenesOf('stopped', FROZEN, { as: ({ frozen }) => frozen }),
  ...scenesOf('stopped', FROZEN_REFUSED, { as: ({ frozen }) => frozen, refuses: true }),
  ...scenesOf('stopped', DEVELOPERS, { as: ({ developer }) => developer }),
];
