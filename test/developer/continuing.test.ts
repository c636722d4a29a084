import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storePassword } from '../../src/identity/passwords.ts';
import { appFor, asDeveloper } from '../../src/service/managers.ts';
import { NO_BROWSER, startBrowser } from '../kit/browser/browser.ts';
import { assertFitInLooks } from '../kit/browser/fit.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { createDeveloper, type Developer, registerApp } from '../kit/service/developer.ts';
import { signIn } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { PASSWORD, STORED } from '../kit/service/with-password.ts';
import { changeRecords } from '../rows/oauth.ts';
import { ageDrafts } from '../rows/passing.ts';
import { ago } from '../rows/times.ts';

const TYPED = {
  name: 'Space “Race” & <more>',
  redirect_uris: 'https://a.example/\r\nhttps://b.example/',
  top_up_url: '',
};

test('what was typed survives confirming who one is', async (t) => {
  const s = await startTestService(t);
  const { service, app: server } = s;
  /** What the browser was given that sent the last kept form. */
  let browser = '';
  const visit = (url: string, cookie = '') => server.inject({ url, headers: { cookie: `${cookie}; ${browser}` } });
  const owner = await createDeveloper(s);
  const { id } = await registerApp(owner);
  const settings = `/developer/apps/${id}/settings`;
  const nameNow = async () => (await appFor(service, asDeveloper(owner.session), id, 'read')).name;
  const stale = () => signIn(s, owner.userId, 16);

  /** Sends a form and returns where the sender goes after signing in. */
  const sendBy = async (
    sender: { cookie: string; csrf: string },
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const by: Developer = { ...owner, ...sender };
    const answer = await by.post(
      path,
      { csrf: sender.csrf, page: '/developer', ...form },
      { cookie: sender.cookie, ...headers },
    );
    if (answer.statusCode !== 303) return `${answer.statusCode}`;
    const { pathname, searchParams } = new URL(String(answer.headers.location), s.origin);
    assert.equal(pathname, '/sign-in');
    const given = answer.cookies.find(({ name }) => /quarters.draft/.test(name));
    if (given) browser = `${given.name}=${given.value}`;
    return searchParams.get('return_to') ?? '';
  };
  /** The form of the page, as a browser sends it. */
  const formOf = (body: string) => {
    const text = (escaped: string) =>
      escaped
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
    const [form = '', action = ''] = /<form method="post" action="([^"]+)" data-continue.+?<\/form>/s.exec(body) ?? [];
    const fields = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    return { action, fields: Object.fromEntries(fields.map(([, name, value]) => [text(name!), text(value!)])) };
  };

  await t.test('details of an app are sent on, once, with the new session’s form token', async () => {
    const back = await sendBy(await stale(), settings, TYPED);
    assert.match(back, /^\/continue\/[0-9a-f-]{36}$/);
    assert.equal(await nameNow(), 'Space Race');

    const now = await signIn(s, owner.userId);
    const shown = await visit(back, now.cookie);
    assert.equal(shown.statusCode, 200);
    assert.match(shown.body, /You were about to change the details of your app\./);
    const { action, fields } = formOf(shown.body);
    assert.equal(action, settings);
    assert.deepEqual(fields, { csrf: now.csrf, draft: back.slice('/continue/'.length), page: '/developer', ...TYPED });
    assert.equal(await nameNow(), 'Space Race');

    const saved = await owner.post(action, fields, { cookie: now.cookie });
    assert.equal(saved.headers.location, `${settings}?saved=true`);
    assert.equal(await nameNow(), TYPED.name);
    const again = await visit(back, now.cookie);
    assert.equal(again.statusCode, 404);
    assert.match(again.body, /We no longer have what you entered/);
  });

  await t.test('only who sent it, freshly signed in, opens it, for half an hour', async () => {
    const late = await stale();
    const back = await sendBy(late, settings, TYPED);
    const now = await signIn(s, owner.userId);
    const other = await createDeveloper(s);
    assert.equal((await visit(back, other.cookie)).statusCode, 404);
    assert.equal((await visit('/continue/x', now.cookie)).statusCode, 404);
    for (const cookie of ['', late.cookie]) {
      const answer = await visit(back, cookie);
      assert.equal(answer.statusCode, 303);
      assert.match(String(answer.headers.location), new RegExp(`return_to=${encodeURIComponent(back)}$`));
    }
    await ageDrafts(service.db, '29 minutes');
    assert.equal((await visit(back, now.cookie)).statusCode, 200);
    await ageDrafts(service.db, '1 minute');
    const gone = await visit(back, now.cookie);
    assert.equal(gone.statusCode, 404);
    assert.match(gone.body, /Please enter it again\./);
  });

  await t.test('another browser does not open it, though its owner is freshly signed in there', async () => {
    const now = await signIn(s, owner.userId);
    await sendBy(await stale(), settings, TYPED);
    const earlier = browser;
    const back = await sendBy(await stale(), settings, TYPED);
    const own = browser;
    const [name] = own.split('=');
    for (const other of ['', `${name}=`, `${name}=x`, earlier]) {
      browser = other;
      const answer = await visit(back, now.cookie);
      assert.equal(answer.statusCode, 404, other);
      assert.doesNotMatch(answer.body, /Space/);
    }
    browser = own;
    assert.equal((await visit(back, now.cookie)).statusCode, 200);
  });

  await t.test('an idle session still names who may keep a form, and one that was ended does not', async () => {
    const idle = await signIn(s, owner.userId);
    await changeRecords(service.db, { uid: idle.session.uid }, { usedAt: ago('3 days') });
    assert.match(await sendBy(idle, settings, TYPED), /^\/continue\//);
    const ended = await signIn(s, owner.userId);
    await server.inject({
      method: 'POST',
      url: '/sign-out',
      headers: {
        cookie: ended.cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: new URLSearchParams({ csrf: ended.csrf }).toString(),
    });
    assert.equal(await sendBy(ended, settings, TYPED), '/developer');
  });

  await t.test('a form of another site, a password or a script’s call is not kept', async () => {
    const late = await stale();
    assert.equal(await sendBy({ ...late, csrf: 'guessed' }, settings, TYPED), '/developer');
    assert.equal(await sendBy(late, settings, TYPED, { 'sec-fetch-site': 'cross-site' }), '/developer');
    assert.equal(await sendBy(late, settings, { ...TYPED, new_password: 'secret' }), '/developer');
    assert.equal(await sendBy(late, settings, { ...TYPED, name: '\u0001'.repeat(4_000) }), '/developer');
    const passkey = await sendBy(late, '/passkeys', { name: 'x' }, { 'content-type': 'application/json' });
    assert.ok(!passkey.startsWith('/continue'), passkey);
    const rows = await service.db.query('SELECT octet_length(sealed) AS size FROM form_drafts WHERE user_id = $1', [
      owner.userId,
    ]);
    assert.ok(rows.length <= 1);
  });

  await t.test(
    'in a browser, the details are saved after the password',
    { skip: NO_BROWSER || notInTurn(3, 'continuing') },
    async (t) => {
      await storePassword(service.db, owner.userId, STORED);
      const browser = await startBrowser(t);
      for (const script of ['runs', 'is blocked']) {
        const context = await browser.newContext();
        const [name = '', value = ''] = (await stale()).cookie.split('=');
        await context.addCookies([{ name, value, url: s.origin }]);
        const page = await context.newPage();
        if (script === 'is blocked') await page.route('**/continue.js', (route) => route.abort());
        await page.goto(`${s.origin}${settings}`);
        await page.getByLabel('Redirect addresses').fill(`https://game.example/${script === 'runs'}`);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('What you entered is kept.').waitFor();
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
        await page.getByRole('button', { name: 'Continue' }).click();
        if (script === 'is blocked') {
          await page.getByText('You were about to change the details of your app.').waitFor();
          await assertFitInLooks(page, 'continue');
          await page.getByRole('button', { name: 'Continue' }).click();
        }
        await page.getByText('Saved.').waitFor();
        const saved = await page.getByLabel('Redirect addresses').inputValue();
        assert.equal(saved, `https://game.example/${script === 'runs'}`);
        await context.close();
      }
    },
  );
});
