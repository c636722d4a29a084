import type { Frame, Page } from 'playwright-core';
import { storePassword } from '../../../src/identity/passwords.ts';
import { PASSWORD, typeAddressAndCode, typeNameAndPassword } from '../../../test/kit/browser/browser-steps.ts';
import { guestPath } from '../../../test/kit/service/conversion.ts';
import { createPerson } from '../../../test/kit/service/people.ts';
import { STORED } from '../../../test/kit/service/with-password.ts';
import { changeEmailCodes } from '../../../test/rows/passing.ts';
import { newEmail, openFramed, press, type Scene, scenesOf, sendUnchecked } from '../scene.ts';
import type { World } from '../world.ts';

async function begin(page: Page, world: World, game: keyof World['games'] = 'verified', balance = 1_250) {
  const app = world.games[game];
  const guest = await world.guest(app, balance);
  await page.goto(world.origin + guestPath(app, guest));
}

async function toCode(page: Page, email = newEmail()) {
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Send me a code');
  await page.getByLabel('Code').waitFor();
}

/** Has an account with a password; returns the address. */
async function owner(world: World) {
  const { userId, email } = await createPerson(world, { email: newEmail() });
  await storePassword(world.service.db, userId, STORED);
  return email;
}

/** To the page that asks the owner of an account. */
async function toMove(page: Page, world: World) {
  await typeAddressAndCode(world, page, await owner(world));
  await page.getByRole('link', { name: /^Sign in/ }).click();
  await page.getByLabel('Password').fill(PASSWORD);
  await press(page, 'Sign in');
  await page.getByText('This can’t be undone').waitFor();
}

const nameField = (place: Page | Frame) => place.getByRole('heading', { name: 'Name and password' }).waitFor();

const SCENES: Record<string, Scene['open']> = {
  '1 address': (page, world) => begin(page, world),
  '1 address, long name, no picture': (page, world) => begin(page, world, 'long', 0),
  '1 address, right to left': (page, world) => begin(page, world, 'rightToLeft'),
  '1 address, wrong': async (page, world) => {
    await begin(page, world);
    await sendUnchecked(page);
    await page.getByLabel('E-mail address').fill('ada at mail');
    await press(page, 'Send me a code');
    await page.locator('[aria-invalid]').waitFor();
  },
  '2 code': async (page, world) => {
    await begin(page, world);
    await toCode(page);
  },
  '2 code, wrong': async (page, world) => {
    await begin(page, world);
    await toCode(page);
    await page.getByLabel('Code').fill('000000');
    await press(page, 'Continue');
    await page.locator('[aria-invalid]').waitFor();
  },
  '2 code, mail refused': async (page, world) => {
    const email = newEmail();
    await begin(page, world);
    await toCode(page, email);
    await changeEmailCodes(world.service.db, { email }, { mailRefused: true });
    await press(page, 'Send a new code');
    await page.getByRole('alert').waitFor();
  },
  '3 name and password': async (page, world) => {
    await begin(page, world);
    await typeAddressAndCode(world, page, newEmail());
    await nameField(page);
  },
  '3 name and password, typed': async (page, world) => {
    await begin(page, world);
    await typeAddressAndCode(world, page, newEmail());
    await typeNameAndPassword(page);
  },
  '3 name and password, wrong': async (page, world) => {
    await begin(page, world);
    await typeAddressAndCode(world, page, newEmail());
    await nameField(page);
    await sendUnchecked(page);
    await page.getByLabel('Password').fill('short');
    await press(page, 'Finish');
    await page.locator('[aria-invalid]').first().waitFor();
  },
  '3 address has an account': async (page, world) => {
    await begin(page, world);
    await typeAddressAndCode(world, page, world.newcomer.email);
    await page.getByRole('heading', { name: 'This address has an account' }).waitFor();
  },
  '4 move quarters': async (page, world) => {
    await begin(page, world, 'verified', 120);
    await toMove(page, world);
  },
  '4 move quarters, long name': async (page, world) => {
    await begin(page, world, 'long', 1_250_000);
    await toMove(page, world);
  },
  '4 use this account': async (page, world) => {
    await begin(page, world, 'plain', 0);
    await toMove(page, world);
  },
  '4 moved': async (page, world) => {
    await begin(page, world, 'verified', 120);
    await toMove(page, world);
    await press(page, 'Move and close guest');
    await page.getByRole('heading', { name: 'You now play with your account' }).waitFor();
  },
  '4 ready': async (page, world) => {
    await begin(page, world);
    await typeAddressAndCode(world, page, newEmail());
    await typeNameAndPassword(page);
    await press(page, 'Finish');
    await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
  },
};

const REFUSED: Record<string, Scene['open']> = {
  '5 already a full account': async (page, world) => {
    await begin(page, world);
    const address = page.url();
    await typeAddressAndCode(world, page, newEmail());
    await typeNameAndPassword(page);
    await press(page, 'Finish');
    await page.getByRole('heading', { name: 'Your account is ready' }).waitFor();
    await page.goto(address);
  },
  '5 already merged': async (page, world) => {
    await begin(page, world);
    const address = page.url();
    await toMove(page, world);
    await press(page, 'Move and close guest');
    await page.getByRole('heading', { name: 'You now play with your account' }).waitFor();
    await page.goto(address);
  },
  '5 signed in to another account': async (page, world) => {
    await begin(page, world, 'verified', 120);
    await typeAddressAndCode(world, page, await owner(world));
    const path = await page.getByRole('link', { name: /^Sign in/ }).getAttribute('href');
    await page.goto(`${world.origin}/sign-in`);
    await page.getByLabel('E-mail address').fill(world.ada.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await page.waitForURL('**/account');
    await page.goto(world.origin + path);
  },
  'fault, unknown game': (page, world) => page.goto(`${world.origin}/guest?client_id=x&inline=true`),
  'fault, wrong redirect': async (page, world) => {
    const guest = await world.guest(world.games.verified);
    await page.goto(world.origin + guestPath(world.games.verified, guest, { redirect_uri: 'https://evil.example/' }));
  },
  'fault, expired step': (page, world) => page.goto(`${world.origin}/guest/finish`),
};

const FRAMED: Record<string, Scene['open']> = {
  'framed 1 address': async (page, world) => {
    const guest = await world.guest(world.games.verified, 1_250);
    await openFramed(page, world, world.origin + guestPath(world.games.verified, guest));
  },
  'framed 3 address has an account': async (page, world) => {
    const guest = await world.guest(world.games.verified, 1_250);
    await openFramed(page, world, world.origin + guestPath(world.games.verified, guest));
    const frame = page.frames()[1]!;
    await typeAddressAndCode(world, frame, await owner(world));
    await frame.getByRole('heading', { name: 'This address has an account' }).waitFor();
  },
};

export const GUEST_SCENES: readonly Scene[] = [
  ...scenesOf('guest', SCENES),
  ...scenesOf('guest', REFUSED, { refuses: true }),
  ...scenesOf('guest', FRAMED, { screenOnly: true }),
];
