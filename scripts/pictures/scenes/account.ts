import type { Page } from 'playwright-core';
import { codeIn, mailAtOnce, mailsTo } from '../../../test/kit/service/mailbox.ts';
import { changeEmailCodes } from '../../../test/rows/passing.ts';
import { newEmail, press, type Scene, scenesOf, sendUnchecked } from '../scene.ts';
import { NEW_PASSKEY, type World } from '../world.ts';

const open = (path: string) => (page: Page, world: World) => page.goto(world.origin + path);

const PAGES: Record<string, Scene['open']> = {
  account: open('/account'),
  activity: open('/account/activity'),
  apps: open('/account/apps'),
  passkeys: open('/account/passkeys'),
  sessions: open('/account/sessions'),
  check: open('/account/check'),
  withdraw: open('/account/withdraw'),
  'withdrawal address': open('/account/withdraw/addresses'),
  close: open('/account/close'),
  proof: open('/account/proof'),
};

const FORMS: Record<string, Scene['open']> = {
  'home, signed in': open('/'),
  'account, changed': open('/account?changed=email'),
  name: open('/account/name'),
  'name, wrong': async (page, world) => {
    await page.goto(`${world.origin}/account/name`);
    await sendUnchecked(page);
    await page.getByRole('textbox').fill(' ');
    await page.locator('main button').first().click();
    await page.locator('[aria-invalid]').waitFor();
  },
  email: open('/account/email'),
  'email, codes': async (page, world) => {
    await page.goto(`${world.origin}/account/email`);
    await page.getByRole('textbox').first().fill('another@mail.example');
    await page.locator('main button').first().click();
    await page.getByRole('textbox').nth(1).waitFor();
  },
  'email, one code left': async (page, world) => {
    const email = newEmail();
    await page.goto(`${world.origin}/account/email`);
    await page.getByRole('textbox').first().fill(email);
    await page.locator('main button').first().click();
    await page
      .getByRole('textbox')
      .nth(1)
      .fill(codeIn(await mailAtOnce(world, email)));
    await page.getByRole('textbox').first().fill('none');
    await page.locator('main button').first().click();
    await page.locator('[aria-invalid]').waitFor();
  },
  'email, mail refused': async (page, world) => {
    const email = newEmail();
    await page.goto(`${world.origin}/account/email`);
    await page.getByRole('textbox').first().fill(email);
    await page.locator('main button').first().click();
    await page.getByRole('textbox').nth(1).waitFor();
    await changeEmailCodes(world.service.db, { email }, { mailRefused: true });
    await sendUnchecked(page);
    await page.locator('main button').first().click();
    await page.locator('[aria-invalid]').first().waitFor();
  },
  password: open('/account/password'),
  'password, wrong': async (page, world) => {
    await page.goto(`${world.origin}/account/password`);
    await sendUnchecked(page);
    await page.getByLabel('New password').fill('short');
    await page.locator('main form button.primary').first().click();
    await page.locator('[aria-invalid]').first().waitFor();
  },
  'passkeys, code': async (page, world) => {
    await page.goto(`${world.origin}/account/passkeys`);
    await press(page, 'Send me a code');
    await page.getByRole('textbox').waitFor();
  },
  'passkeys, wrong code': async (page, world) => {
    await page.goto(`${world.origin}/account/passkeys`);
    await press(page, 'Send me a code');
    await page.getByRole('textbox').fill('none');
    await press(page, 'Continue');
    await page.locator('[aria-invalid]').waitFor();
  },
  'spending limit': async (page, world) => {
    await page.goto(`${world.origin}/account/apps`);
    await page.getByRole('link', { name: 'Change limit' }).first().click();
    await page.getByRole('textbox').first().waitFor();
  },
  'spending limit, wrong': async (page, world) => {
    await page.goto(`${world.origin}/account/apps`);
    await page.getByRole('link', { name: 'Change limit' }).first().click();
    await page.getByRole('textbox').first().fill('1.5');
    await page.locator('main form button').first().click();
    await page.locator('[aria-invalid]').waitFor();
  },
  'close, wrong': async (page, world) => {
    await page.goto(`${world.origin}/account/close`);
    await page.getByRole('textbox').fill('someone@else.example');
    await press(page, /^Close/);
    await page.locator('[aria-invalid]').waitFor();
  },
};

/** The link in the newest mail about an address. */
const openStopLink = async (page: Page, world: World) => {
  const mails = await mailsTo(world, world.ada.email);
  const link = mails.map(({ text }) => /\/withdrawals\/stop\?token=\S+/.exec(text)?.[0]).findLast((found) => found);
  await page.goto(world.origin + link);
};

const PROVED: Record<string, Scene['open']> = {
  'passkeys, after a code': open('/account/passkeys'),
  'withdrawal address, new passkey': open('/account/withdraw/addresses'),
};

const STOP: Record<string, Scene['open']> = {
  'stop a passkey': open(`/passkeys/stop?token=${NEW_PASSKEY}`),
  'stop an address': openStopLink,
};

const GONE: Record<string, Scene['open']> = {
  'stop a passkey, too late': open('/passkeys/stop?token=none'),
};

const FULL: Record<string, Scene['open']> = {
  'activity, payments': open('/account/activity?show=payments'),
  'activity, nothing found': open('/account/activity?q=dragon'),
};

const named = (pages: Record<string, Scene['open']>, state: string) =>
  Object.fromEntries(Object.entries(pages).map(([name, scene]) => [`${name}, ${state}`, scene]));

export const ACCOUNT_SCENES: readonly Scene[] = [
  ...scenesOf('account', named(PAGES, 'full'), { as: ({ ada }) => ada }),
  ...scenesOf('account', named(PAGES, 'empty'), { as: ({ newcomer }) => newcomer }),
  ...scenesOf('account', { 'account, long names': open('/account') }, { as: ({ longNamed }) => longNamed }),
  ...scenesOf('account', { ...FORMS, ...FULL }, { as: ({ ada }) => ada }),
  ...scenesOf('account', PROVED, { as: ({ proved }) => proved }),
  ...scenesOf('account', { 'confirm it is you': open('/account/close') }, { as: ({ late }) => late }),
  ...scenesOf('account', { ...STOP, closed: open('/account/closed'), liabilities: open('/liabilities') }),
  ...scenesOf('account', GONE, { refuses: true }),
];
