import type { Page } from 'playwright-core';
import { typeAddressAndCode } from '../../../test/kit/browser/browser-steps.ts';
import { OWN_SCHEME } from '../../../test/kit/browser/own-scheme.ts';
import { askFor } from '../../../test/kit/service/history.ts';
import { newEmail, openAppAndReturn, openFramed, press, type Scene, scenesOf, sendUnchecked } from '../scene.ts';
import type { World } from '../world.ts';

const open = (path: string) => (page: Page, world: World) => page.goto(world.origin + path);

async function typeCode(page: Page, email: string, code: string) {
  await page.getByLabel('E-mail address').fill(email);
  await press(page, 'Send me a code');
  await page.getByLabel('Code').fill(code);
}

async function toPassword(page: Page, world: World, path: string, email: string) {
  await page.goto(world.origin + path);
  await typeAddressAndCode(world, page, email);
  await page
    .getByLabel(/password/i)
    .first()
    .waitFor();
}

function authorize(world: World, game: keyof World['games'], more: Record<string, string> = {}) {
  const query = { response_type: 'code', client_id: world.games[game].id, ...more };
  return `${world.origin}/oauth/authorize?${new URLSearchParams(query)}`;
}

const back = ({ site }: World) => `${site}/back`;
const logout = (world: World, more = '') => `${world.origin}/logout?client_id=${world.games.redirecting.id}${more}`;

const SIGNED_OUT: Record<string, Scene['open']> = {
  'sign in': open('/sign-in'),
  'sign in, wrong': async (page, world) => {
    await page.goto(`${world.origin}/sign-in`);
    await page.getByLabel('E-mail address').fill('someone@mail.example');
    await page.getByLabel('Password', { exact: true }).fill('not my password');
    await press(page, 'Sign in');
    await page.getByRole('alert').first().waitFor();
  },
  'sign in, too many attempts': async (page, world) => {
    await page.goto(`${world.origin}/sign-in`);
    const email = newEmail();
    const tries = Array.from({ length: 10 }, () =>
      page.request.post(`${world.origin}/sign-in`, {
        form: { email, password: 'x' },
        headers: { origin: world.origin },
      }),
    );
    await Promise.all(tries);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('not my password');
    await press(page, 'Sign in');
    await page.getByRole('link', { name: 'set a new password' }).waitFor();
  },
  'sign in, to pay': async (page, world) => {
    const { id } = await askFor(world, world.games.verified, world.player, 120, 'A golden rook');
    await page.goto(`${world.origin}/requests/${id}`);
  },
  'sign in, from a game': (page, world) => page.goto(authorize(world, 'redirecting', { redirect_uri: back(world) })),
  'sign in, from a game, inline': (page, world) =>
    page.goto(authorize(world, 'redirecting', { redirect_uri: back(world), inline: 'true' })),
  'sign up 1 address': open('/sign-up'),
  'sign up 1 address, wrong': async (page, world) => {
    await page.goto(`${world.origin}/sign-up`);
    await sendUnchecked(page);
    await page.getByLabel('E-mail address').fill('ada at mail');
    await press(page, 'Send me a code');
    await page.locator('[aria-invalid]').waitFor();
  },
  'sign up 2 code': async (page, world) => {
    await page.goto(`${world.origin}/sign-up`);
    await typeCode(page, newEmail(), '');
  },
  'sign up 2 code, wrong': async (page, world) => {
    await page.goto(`${world.origin}/sign-up`);
    await typeCode(page, newEmail(), '000000');
    await press(page, 'Continue');
    await page.locator('[aria-invalid]').waitFor();
  },
  'sign up 3 name and password': (page, world) => toPassword(page, world, '/sign-up', newEmail()),
  'sign up 3 account exists': async (page, world) => {
    await page.goto(`${world.origin}/sign-up`);
    await typeAddressAndCode(world, page, world.longNamed.email);
    await page.getByRole('heading', { name: 'You already have an account' }).waitFor();
  },
  'forgot 1 address': open('/forgot'),
  'forgot 1 address, wrong': async (page, world) => {
    await page.goto(`${world.origin}/forgot`);
    await sendUnchecked(page);
    await page.getByLabel('E-mail address').fill('ada at mail');
    await press(page, 'Send me a code');
    await page.locator('[aria-invalid]').waitFor();
  },
  'forgot 2 code': async (page, world) => {
    await page.goto(`${world.origin}/forgot`);
    await typeCode(page, 'nobody@mail.example', '');
  },
  'forgot 3 password': (page, world) => toPassword(page, world, '/forgot', world.developer.email),
  'forgot 3 password, wrong': async (page, world) => {
    await toPassword(page, world, '/forgot', world.late.email);
    await sendUnchecked(page);
    await page.getByLabel('New password').fill('short');
    await press(page, 'Set password');
    await page.locator('[aria-invalid]').waitFor();
  },
  'signed out': open('/sign-out'),
  'logout, nobody signed in': (page, world) => page.goto(logout(world, '&frame_id=f')),
};

const REFUSED: Record<string, Scene['open']> = {
  'consent, unknown game': open('/oauth/authorize?response_type=code&client_id=x'),
  'consent, wrong redirect': (page, world) =>
    page.goto(authorize(world, 'redirecting', { redirect_uri: 'https://evil.example/' })),
  'logout, wrong redirect': (page, world) => page.goto(logout(world, '&redirect_uri=https://evil.example/')),
};

const SIGNED_IN: Record<string, Scene['open']> = {
  'sign out': open('/sign-out'),
  'consent, answered, and the app opened': async (page, world) => {
    await page.goto(authorize(world, 'native', { redirect_uri: OWN_SCHEME }));
    await openAppAndReturn(page, 'Allow');
  },
  'consent, choose an account': (page, world) =>
    page.goto(authorize(world, 'redirecting', { redirect_uri: back(world), prompt: 'select_account' })),
  consent: (page, world) => page.goto(authorize(world, 'redirecting', { redirect_uri: back(world) })),
  'consent, inline, no picture': (page, world) => page.goto(authorize(world, 'plain', { inline: 'true' })),
  'consent, one scope': (page, world) =>
    page.goto(authorize(world, 'redirecting', { redirect_uri: back(world), scope: 'openid profile' })),
  'consent, allowed': async (page, world) => {
    await page.goto(authorize(world, 'rightToLeft'));
    await press(page, 'Allow');
    await page.locator('.sign').waitFor();
  },
  logout: (page, world) => page.goto(logout(world, '&frame_id=f')),
  'logout, stayed': async (page, world) => {
    await page.goto(logout(world, '&frame_id=f'));
    await press(page, 'Stay signed in');
    await page.getByRole('heading', { name: 'still signed in' }).waitFor();
  },
  'logout, OpenID Connect': (page, world) =>
    page.goto(`${world.origin}/oauth/logout?client_id=${world.games.redirecting.id}`),
};

const ACCESS_DENIED: Record<string, Scene['open']> = {
  'consent, refused': async (page, world) => {
    await page.goto(authorize(world, 'allowance'));
    await press(page, 'Don’t allow');
    await page.locator('.sign').waitFor();
  },
};

const LONG: Record<string, Scene['open']> = {
  'consent, long names': (page, world) => page.goto(authorize(world, 'long', { inline: 'true' })),
  'sign out, long names': open('/sign-out'),
};

const FRAMED: Record<string, Scene['open']> = {
  'framed sign in': (page, world) => openFramed(page, world, authorize(world, 'verified', { inline: 'true' })),
  'framed logout': (page, world) => openFramed(page, world, logout(world, '&inline=true&frame_id=f')),
};

export const SIGN_IN_SCENES: readonly Scene[] = [
  ...scenesOf('people', SIGNED_OUT),
  ...scenesOf('people', REFUSED, { refuses: true }),
  ...scenesOf('people', SIGNED_IN, { as: ({ player }) => player }),
  ...scenesOf('people', ACCESS_DENIED, { as: ({ player }) => player, refuses: true }),
  ...scenesOf('people', LONG, { as: ({ longNamed }) => longNamed }),
  ...scenesOf('people', FRAMED, { screenOnly: true }),
];
