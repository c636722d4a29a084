import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { insertMember } from '../../src/identity/app-members.ts';
import { passwordMatches } from '../../src/identity/passwords.ts';
import { addHolds } from '../../src/ledger/accounts.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { createPerson, PASSWORD, type Person, signIn } from '../kit/service/people.ts';
import { startTestService } from '../kit/service/service.ts';
import { isSignedIn, mailTo, send, visit } from '../kit/service/visits.ts';
import { personWithPassword } from '../kit/service/with-password.ts';
import { changeApps } from '../rows/apps.ts';

const NEW_PASSWORD = 'a brand new password';
const PAGES = ['', '/activity', '/apps', '/name', '/email', '/password', '/sessions', '/close'];
/** The account page has no link to it. */
const CHECK = '/check';
const FILES = ['/export.csv', '/export-profile.csv'];
/** Every form, with fields that would change something. */
const FORMS: [string, Record<string, string>][] = [
  ['/account/name', { name: 'Mallory' }],
  ['/account/email', { email: 'mallory@mail.example' }],
  ['/account/email/confirm', { change: 'x', old_code: '1', new_code: '2' }],
  ['/account/password', { current_password: PASSWORD, password: NEW_PASSWORD }],
  ['/account/sessions', {}],
  ['/account/sessions/end', { session: 'x' }],
  ['/account/passkeys/remove-all', {}],
  ['/account/apps/sign-out', {}],
  ['/account/apps/withdraw', { app: 'A'.repeat(20), what: 'access' }],
  ['/account/withdraw/addresses/remove', { address: 'x' }],
  ['/account/close', { email: 'ada@mail.example' }],
];

test('the account pages', async (t) => {
  const logged: string[] = [];
  const note = (entry: object, message: string) => logged.push(JSON.stringify({ ...entry, message }));
  const service = await startTestService(t, {
    env: { EXPLORER_URL: 'https://explorer.example/tx/{tx}', WITHDRAWALS: 'on' },
    log: { info: note, warn: note, error: note },
  });
  const { db } = service.service;
  const ada = await createPerson(service, { email: 'ada@mail.example', displayName: 'Ada <b>Lovelace</b>' });
  const untouched = async ({ userId }: Person = ada) =>
    (await db.query('SELECT kind, email, display_name FROM users WHERE id = $1', [userId]))[0];
  const before = await untouched();

  await t.test('a signed-out visitor is sent to sign in and back', async () => {
    for (const path of [...PAGES, CHECK, ...FILES]) {
      const answer = await visit(service, null, `/account${path}`);
      assert.equal(answer.status, 303);
      assert.equal(answer.location, `/sign-in?${new URLSearchParams({ return_to: `/account${path}` })}`);
    }
    for (const [path, form] of FORMS) {
      const answer = await send(service, { ...ada, cookie: 'quarters_1=nobody' }, path, form);
      assert.equal(answer.status, 303, path);
      assert.match(answer.location!, /^\/sign-in\?/);
    }
    assert.deepEqual(await untouched(), before);
  });

  await t.test('only who manages an app sees a link to the developer pages', async () => {
    const [owner, member, former] = await Promise.all([1, 2, 3].map(() => createPerson(service)));
    const own = await service.createApp({ ownerId: owner!.userId });
    await db.transaction((tx) => insertMember(tx, own.id, member!.userId, 'viewer'));
    const { id } = await service.createApp({ ownerId: former!.userId });
    await changeApps(db, { id }, { deletedAt: new Date() });
    const sees = async (person: Person, path: string) =>
      (await visit(service, person, path)).body.includes('/developer"');
    for (const path of PAGES.map((page) => `/account${page}`)) {
      assert.deepEqual(
        await Promise.all([ada, former!, owner!, member!].map((person) => sees(person, path))),
        [false, false, true, true],
        path,
      );
    }
  });

  await t.test('a form without our origin and form token changes nothing', async () => {
    const eve = await createPerson(service);
    const forgeries: [string, Record<string, string>, Record<string, string>][] = [
      ['without a token', { csrf: '' }, {}],
      ["with somebody else's token", { csrf: eve.csrf }, {}],
      ['with a token of another length', { csrf: `${ada.csrf}A` }, {}],
      ['from another site', {}, { 'sec-fetch-site': 'cross-site', origin: 'https://game.example' }],
      [
        'from another origin, from a browser that says no more',
        {},
        { 'sec-fetch-site': '', origin: 'https://a.example' },
      ],
      ['from nowhere', {}, { origin: 'null' }],
    ];
    for (const [path, form] of FORMS) {
      for (const [what, fields, headers] of forgeries) {
        const answer = await send(service, ada, path, { ...form, ...fields }, headers);
        assert.equal(answer.status, 403, `${path} ${what}`);
        assert.match(answer.body, /didn’t come from our page/);
      }
    }
    assert.deepEqual(await untouched(), before);
    assert.ok(await isSignedIn(service, ada));
  });

  await t.test('a change of what protects the account needs a recent sign-in', async () => {
    const late = await signIn(service, ada.userId, 16);
    for (const path of ['/account/email', '/account/close']) {
      for (const answer of [await visit(service, late, path), await send(service, late, path, { page: path })]) {
        assert.equal(answer.status, 303);
        assert.match(String(answer.location), /^\/sign-in\?again=true&return_to=%2F(?:account|continue)%2F/);
      }
    }
    assert.deepEqual(await untouched(), before);
  });

  await t.test("the overview shows the user's name, address and balances", async () => {
    await service.issue(ada.userId, 1_234);
    await db.transaction((tx) => addHolds(tx, new Map([[ada.address, asQuarters(34)]])));
    await grantReward(service.service, { user: ada.userId, amount: asQuarters(5) });
    const { status, body, headers } = await visit(service, ada, '/account');
    assert.equal(status, 200);
    const text = body.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
    assert.match(
      text,
      /Balance 1,200 quarters 34 quarters reserved for payments in progress 5 quarters reward, applied/,
    );
    assert.match(
      text,
      /E-mail addressada@mail\.example[\s\S]*PasskeysNone yet[\s\S]*Where you’re signed inHere and in 1 other browser/,
    );
    assert.match(body, /Ada &lt;b&gt;Lovelace&lt;\/b&gt;/);
    assert.ok(body.includes('ada@mail.example') && body.includes(toChecksum(ada.address)));
    assert.ok(body.includes(`href="https://explorer.example/address/${toChecksum(ada.address)}"`));
    assert.match(body, /href="https:\/\/explorer\.example\/tx\/0x[0-9a-f]{64}"/);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-frame-options'], 'DENY');
    for (const path of PAGES.slice(1)) assert.ok(path === '' || body.includes(`href="/account${path}"`), path);
    await db.transaction((tx) => addHolds(tx, new Map([[ada.address, asQuarters(-34)]])));
  });

  await t.test("other users' pages show none of it", async () => {
    const eve = await createPerson(service);
    for (const path of [...PAGES, CHECK, ...FILES]) {
      const { body, status } = await visit(service, eve, `/account${path}`);
      assert.equal(status, 200, path);
      assert.ok(!/ada@|Lovelace|1,2\d\d/.test(body) && !body.includes(toChecksum(ada.address)), path);
    }
  });

  await t.test('a display name is cleaned, and an unreadable one is refused and kept in the form', async () => {
    const bob = await createPerson(service, { displayName: 'Bob' });
    const name = async () =>
      (await db.query<{ display_name: string }>('SELECT display_name FROM users WHERE id = $1', [bob.userId]))[0]
        ?.display_name;
    for (const refused of ['', '  ', '\u200b\u202e', 'a\u202eb', 'a\u0000b', 'x'.repeat(41)]) {
      const answer = await send(service, bob, '/account/name', { name: refused });
      assert.equal(answer.status, 400);
      assert.match(answer.body, /aria-invalid/);
      assert.equal(await name(), 'Bob');
    }
    const cases: [string, string][] = [
      [' Bobby \t Tables ', 'Bobby Tables'],
      ['🦊'.repeat(40), '🦊'.repeat(40)],
      [`e\u0301`, 'é'],
    ];
    for (const [typed, stored] of cases) {
      const answer = await send(service, bob, '/account/name', { name: typed });
      assert.equal(answer.status, 303);
      assert.equal(answer.location, '/account?changed=name');
      assert.equal(await name(), stored);
    }
    assert.match((await visit(service, bob, '/account?changed=name')).body, /Your display name was changed/);
    assert.ok(!/role="status"/.test((await visit(service, bob, '/account?changed=toString')).body));
  });

  await t.test('a new password ends the other sessions and is announced by mail', async () => {
    const carol = await personWithPassword(service);
    const elsewhere = await signIn(service, carol.userId);
    const change = { current_password: PASSWORD, password: NEW_PASSWORD };
    assert.equal((await send(service, carol, '/account/password', { ...change, password: 'short' })).status, 400);
    assert.ok(await isSignedIn(service, elsewhere));
    const answer = await send(service, carol, '/account/password', change);
    assert.equal(answer.location, '/account?changed=password');
    assert.ok(await passwordMatches(db, carol.userId, NEW_PASSWORD));
    assert.ok(await isSignedIn(service, carol));
    assert.ok(!(await isSignedIn(service, elsewhere)));
    assert.match(await mailTo(service, carol.email, 'password was changed'), /If it wasn’t you/);
  });

  await t.test('no secret appears in the log', async () => {
    // Without a mail server, mails are written to the log. None of these mails holds a secret.
    assert.ok(logged.some((line) => line.includes('password was changed')));
    const secrets = [PASSWORD, NEW_PASSWORD, ada.csrf, ada.cookie.split('=')[1]!];
    for (const line of logged) for (const secret of secrets) assert.ok(!line.includes(secret), line);
  });

  await t.test('other methods are refused with an Allow header', async () => {
    for (const [path, allow] of [
      ['/account', 'GET, HEAD'],
      ['/account/name', 'GET, HEAD, POST'],
      ['/account/apps/withdraw', 'POST'],
    ]) {
      const { statusCode, headers } = await service.app.inject({ method: 'DELETE', url: path! });
      assert.deepEqual([statusCode, headers.allow], [405, allow]);
    }
  });
});
