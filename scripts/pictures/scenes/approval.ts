import type { Page } from 'playwright-core';
import type { RequestId } from '../../../src/base/ids.ts';
import { createRequest } from '../../../src/features/requests/create-request.ts';
import type { Person } from '../../../test/kit/service/people.ts';
import type { TestApp } from '../../../test/kit/service/service.ts';
import { asUser } from '../../../test/kit/unit/callers.ts';
import { changeAccounts } from '../../../test/rows/ledger.ts';
import { changeRequests, letRequestExpire } from '../../../test/rows/requests.ts';
import { openAppAndReturn, openFramed, press, type Scene, scenesOf, sendUnchecked } from '../scene.ts';
import { CONFIRM_ABOVE, type World } from '../world.ts';

type Asked = { readonly game?: keyof World['games']; readonly amount?: number; readonly text?: string };
type GuestAsked = Asked & { readonly balance?: number };

const STORY =
  'A chest with a golden rook, two silver bishops and the key to the eastern tower, which opens only by night and only for those who have won a hundred games. It stays yours for ever, on every device.';

async function request(
  world: World,
  userId: Person['userId'],
  { game = 'verified', amount = 40, text = 'A golden rook' }: Asked,
) {
  const app: TestApp = world.games[game];
  const { id } = await createRequest(world.service, asUser(userId, app.id), {
    tokens: amount,
    appId: app.id,
    description: text,
  });
  return id;
}

/** A guest with 100 quarters is asked. `before`: what happens to the request before the page is opened. */
async function askGuest(
  page: Page,
  world: World,
  { balance = 100, ...asked }: GuestAsked = {},
  before?: (id: RequestId) => Promise<unknown>,
) {
  const guest = await world.guest(world.games[asked.game ?? 'verified'], balance);
  const id = await request(world, guest.userId, asked);
  await before?.(id);
  const query = new URLSearchParams({ firebase_token: guest.pageToken, inline: 'true' });
  await page.goto(`${world.origin}/requests/${id}?${query}`);
  return { id, guest };
}

/** Somebody who is signed in is asked. */
async function ask(page: Page, world: World, person: Person, asked: Asked = {}, query = '') {
  const id = await request(world, person.userId, asked);
  await page.goto(`${world.origin}/requests/${id}${query}`);
  return id;
}

const withStatus =
  (world: World, status: string) =>
  (id: RequestId): Promise<void> =>
    changeRequests(world.service.db, { id }, { status } as Parameters<typeof changeRequests>[2]);

const GUESTS: Record<string, Scene['open']> = {
  'guest, verified, picture': (page, world) => askGuest(page, world),
  'guest, unverified, no picture': (page, world) => askGuest(page, world, { game: 'plain', amount: 1, text: '' }),
  'guest, misleading name': (page, world) => askGuest(page, world, { game: 'misleading' }),
  'guest, long names': (page, world) =>
    askGuest(page, world, { game: 'long', amount: 98_765_432, text: STORY, balance: 123_456_789 }),
  'guest, right to left': (page, world) => askGuest(page, world, { game: 'rightToLeft', text: 'قلعة من ذهب' }),
  'guest, not enough': (page, world) => askGuest(page, world, { balance: 0 }),
  'guest, not enough, top-up': (page, world) => askGuest(page, world, { game: 'topUp', balance: 12 }),
  'guest, spending limit': (page, world) => askGuest(page, world, { game: 'allowance' }),
  'guest, refused notice': async (page, world) => {
    const { guest } = await askGuest(page, world);
    await changeAccounts(world.service.db, { userId: guest.userId }, { held: 100 });
    await press(page, 'Approve');
    await page.getByRole('alert').waitFor();
  },
  'guest, no connection': async (page, world) => {
    await askGuest(page, world, { game: 'allowance' });
    await page.context().setOffline(true);
    await press(page, 'Approve');
    await page.getByRole('alert').waitFor();
    await page.context().setOffline(false);
  },
  'result paid': async (page, world) => {
    await askGuest(page, world);
    await press(page, 'Approve');
    await page.locator('.sign').waitFor();
  },
  'result declined': async (page, world) => {
    await askGuest(page, world);
    await press(page, 'Decline');
    await page.locator('.sign').waitFor();
  },
  'result not enough': async (page, world) => {
    await askGuest(page, world, { balance: 0 });
    await page.locator('[value=later]').click();
    await page.locator('.sign').waitFor();
  },
  'result expired': (page, world) => askGuest(page, world, {}, (id) => letRequestExpire(world.service.db, id)),
  'result cancelled': (page, world) => askGuest(page, world, {}, withStatus(world, 'cancelled')),
  'result failed': (page, world) => askGuest(page, world, {}, withStatus(world, 'failed')),
  report: async (page, world) => {
    await askGuest(page, world, { game: 'plain' });
    await press(page, 'Report a problem');
    await page.getByRole('radio').first().waitFor();
  },
  'report, nothing chosen': async (page, world) => {
    await askGuest(page, world, { game: 'plain' });
    await press(page, 'Report a problem');
    await page.getByRole('radio').first().waitFor();
    await sendUnchecked(page);
    await press(page, 'Send report');
    await page.locator('.error').waitFor();
  },
  'report sent': async (page, world) => {
    await askGuest(page, world, { game: 'plain' });
    await press(page, 'Report a problem');
    await page.getByRole('radio').first().check();
    await press(page, 'Send report');
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  },
};

const FULL: Record<string, Scene['open']> = {
  'answered, and the app opened': async (page, world) => {
    await ask(page, world, world.payer, { game: 'native' });
    await openAppAndReturn(page, 'Approve');
  },
  'full user, reward pays a part': (page, world) => ask(page, world, world.payer),
  'full user, expired, back to the app': async (page, world) => {
    const id = await ask(page, world, world.payer, { game: 'native' });
    await letRequestExpire(world.service.db, id);
    await page.route(/^(?!http)/, (route) => route.abort());
    await page.reload();
    await page.locator('.leave').waitFor();
  },
  'full user, in a window': (page, world) => ask(page, world, world.payer, {}, '?inline=true&opened_by=game'),
  'full user, spending limit': (page, world) => ask(page, world, world.payer, { game: 'allowance' }),
  'full user, not enough': (page, world) => ask(page, world, world.payer, { amount: 100_000 }),
  'full user, not enough, top-up': (page, world) => ask(page, world, world.payer, { game: 'topUp', amount: 100_000 }),
  'full user, confirmed large payment': (page, world) => ask(page, world, world.payer, { amount: CONFIRM_ABOVE + 1 }),
  'full user, paid': async (page, world) => {
    await ask(page, world, world.payer, { amount: 2 });
    await press(page, 'Approve');
    await page.locator('.sign').waitFor();
  },
  'full user, paid in a window': async (page, world) => {
    await ask(page, world, world.payer, { amount: 2 }, '?inline=true&frame_id=f');
    await press(page, 'Approve');
    await page.locator('[data-closes]').waitFor();
  },
  'window without its game': async (page, world) => {
    await page.goto(`${world.origin}/window`);
    await page.getByText('You can close this window').waitFor();
  },
  'full user, already paid': async (page, world) => {
    await ask(page, world, world.payer, { amount: 2 });
    await press(page, 'Approve');
    await page.locator('.sign').waitFor();
    await page.goBack();
    await page.reload();
  },
};

const LATE: Record<string, Scene['open']> = {
  'full user, confirmation needed': (page, world) => ask(page, world, world.payer, { amount: CONFIRM_ABOVE + 1 }),
  'full user, confirm it is you': async (page, world) => {
    await ask(page, world, world.payer, { amount: CONFIRM_ABOVE + 1 });
    await press(page, 'Approve');
    await page.getByLabel('Password', { exact: true }).waitFor();
  },
};

const FRAMED: Record<string, Scene['open']> = {
  'framed, guest': async (page, world) => {
    const guest = await world.guest(world.games.verified, 100);
    const id = await request(world, guest.userId, {});
    await openFramed(page, world, `${world.origin}/requests/${id}?inline=true&firebase_token=${guest.pageToken}`);
  },
  'framed, full user': async (page, world) => {
    const id = await request(world, world.payer.userId, {});
    await openFramed(page, world, `${world.origin}/requests/${id}?inline=true`);
  },
  'framed, full user, long names': async (page, world) => {
    const id = await request(world, world.longNamed.userId, { game: 'long', amount: 98_765_432, text: STORY });
    await openFramed(page, world, `${world.origin}/requests/${id}?inline=true`);
  },
};

const REFUSED: Record<string, Scene['open']> = {
  'unknown payment': (page, world) =>
    page.goto(`${world.origin}/requests/00000000-0000-4000-8000-000000000000?firebase_token=x`),
};

const REFUSED_FULL: Record<string, Scene['open']> = {
  'full user, address not registered': async (page, world) => {
    await ask(page, world, world.payer, { game: 'native' }, '?redirect_uri=https://other.example/');
  },
};

export const APPROVAL_SCENES: readonly Scene[] = [
  ...scenesOf('approval', GUESTS),
  ...scenesOf('approval', REFUSED, { refuses: true }),
  ...scenesOf('approval', FULL, { as: ({ payer }) => payer }),
  ...scenesOf('approval', REFUSED_FULL, { as: ({ payer }) => payer, refuses: true }),
  ...scenesOf('approval', LATE, { as: ({ late }) => late }),
  ...scenesOf('approval', FRAMED, { screenOnly: true }),
];
