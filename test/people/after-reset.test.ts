import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { resetPassword } from '../../src/features/credentials/reset-password.ts';
import { openSession } from '../../src/features/sessions/sign-in.ts';
import { findConsent, grantConsent } from '../../src/identity/consents.ts';
import { listMandates } from '../../src/identity/mandates.ts';
import { insertPasskey, listPasskeys, usePasskey } from '../../src/identity/passkeys.ts';
import { markPassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { holdSession } from '../../src/oauth/sessions.ts';
import { insertCode } from '../../src/oauth/tokens.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { mailAtOnce, mailsTo } from '../kit/service/mailbox.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { isSignedIn, send, visit } from '../kit/service/visits.ts';
import { personWithPassword } from '../kit/service/with-password.ts';

const CHECK = '/account/check';
const REMOVE_ALL = '/account/passkeys/remove-all';
const SIGN_OUT = '/account/apps/sign-out';

test('after a password reset, the owner can find and remove whatever a thief added', async (t) => {
  const service = await sharedService(t);
  const { db, security } = service.service;
  const game = await service.createApp({ name: 'Chess Royale' });

  /** What lets a game act for somebody: agreement, spending limit, and a code with its grant. */
  async function letIn({ userId }: Person, appId = game.id) {
    await grantConsent(db, { userId, appId, scopes: ['profile', 'requests'] });
    const limits = { maxPerTransfer: asQuarters(100), maxPerDay: asQuarters(1_000), days: 30 };
    await grantMandate(db, { userId, appId, ...limits });
    await insertCode(db, { userId, appId, scopes: 'profile requests' });
  }
  const codesAndGrants = ({ userId }: Person) =>
    db.query('SELECT FROM oauth_records WHERE user_id = $1 AND client_id IS NOT NULL', [userId]);
  const resetOf = async ({ userId, email }: Person) => {
    const right = { userId, email, seen: await markPassword(db, userId) };
    return resetPassword(service.service, right, {
      password: 'the owner has it back',
      client: 'here',
      former: undefined,
    });
  };

  await t.test('the password-changed mail names the passkeys and links to the page that removes them', async () => {
    const ada = await personWithPassword(service);
    await storePasskey(service, ada.userId, 'Of a thief');
    await storePasskey(service, ada.userId, 'Phone');
    await letIn(ada);
    await resetOf(ada);
    const { text } = await mailAtOnce(service, ada.email);
    assert.match(text, /still sign in to your account:\n\n {4}“Of a thief”, added on .*\n {4}“Phone”, added on /);
    assert.match(text, /Games keep the access you gave them\./);
    assert.ok(text.includes(`    ${service.origin}${CHECK}\n`));
  });

  await t.test('a passkey added during a password reset is named in the mail', async () => {
    const ada = await personWithPassword(service);
    const { resetting } = await db.transaction(async (tx) => {
      const passkey = { id: ada.userId, userId: ada.userId, name: 'Quick thief', publicKey: new Uint8Array(1) };
      await insertPasskey(tx, { ...passkey, signCount: 0, transports: [] });
      await holdSession(tx, ada.session);
      const resetting = resetOf(ada);
      await lockWaitersAre(service.service, 1);
      return { resetting };
    });
    await resetting;
    assert.match((await mailAtOnce(service, ada.email)).text, /“Quick thief”/);
  });

  await t.test('the check page lists passkeys and games, and confirms each removal', async () => {
    const ada = await createPerson(service);
    await storePasskey(service, ada.userId, 'Of a <b>thief</b>');
    await letIn(ada);
    const { body, headers } = await visit(service, ada, `${CHECK}?changed=password&return_to=/account/activity`);
    assert.match(body, /<h1>Check your account/);
    assert.match(body, /role="status">Your password was changed, and you were signed out everywhere else\./);
    assert.match(body, /Of a &lt;b&gt;thief&lt;\/b&gt;<\/bdi>, added on/);
    assert.match(body, /“Chess Royale”/);
    assert.match(body, /href="\/account\/activity">Continue/);
    assert.equal(headers['cross-origin-opener-policy'], 'unsafe-none', 'a game’s window may have led here');
    const eve = await createPerson(service);
    const empty = await visit(service, eve, `${CHECK}?return_to=https://evil.example`);
    assert.match(empty.body, /<h1>You’re all set/);
    // The foot holds the page's own address.
    const [main = ''] = /<main[\s\S]*<\/main>/.exec(empty.body) ?? [];
    assert.doesNotMatch(main, /evil|role="status"|Chess|thief|<form/);
  });

  await t.test('removing all passkeys also ends the sessions they may have opened', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)];
    for (const { userId } of [ada, eve]) await storePasskey(service, userId, 'Phone');
    await storePasskey(service, ada.userId, 'Of a thief');
    const thief = await signIn(service, ada.userId);
    const before = security.counts.get('passkeys-removed') ?? 0;
    const page = `${CHECK}?changed=password&return_to=%2Faccount%2Factivity`;
    const answer = await send(service, ada, REMOVE_ALL, { page });
    const goOn = `${CHECK}?changed=passkeys&return_to=%2Faccount%2Factivity`;
    assert.deepEqual([answer.status, answer.location], [303, goOn]);
    assert.equal((await listPasskeys(db, ada.userId)).length, 0);
    assert.equal((await listPasskeys(db, eve.userId)).length, 1);
    assert.deepEqual([await isSignedIn(service, ada), await isSignedIn(service, thief)], [true, false]);
    const { body } = await visit(service, ada, goOn);
    assert.match(body, /All passkeys were removed/);
    assert.doesNotMatch(body, /thief/);
    assert.match((await mailAtOnce(service, ada.email)).text, / {4}“Phone”\n {4}“Of a thief”\n/);

    assert.equal(
      (await send(service, ada, REMOVE_ALL, { page: '//evil.example/' })).location,
      '/account?changed=passkeys',
    );
    assert.equal((await mailsTo(service, ada.email)).length, 1, 'nothing was removed, so nothing is told');
    assert.equal(security.counts.get('passkeys-removed'), before + 1);
  });

  await t.test('a passkey sign-in during "remove all" leaves no session behind', async () => {
    const ada = await createPerson(service);
    const user = (await findUser(db, ada.userId))!;
    const id = await storePasskey(service, ada.userId, 'Of a thief');
    const { removing, thief } = await db.transaction(async (tx) => {
      assert.ok(await usePasskey(tx, id, 0));
      const cookie = await openSession(tx, { userId: ada.userId, methods: ['hwk'], former: undefined });
      const removing = removePasskeys(service.service, user, ada.session);
      await lockWaitersAre(service.service, 1);
      return { removing, thief: { cookie: `${ada.cookie.split('=')[0]}=${cookie}` } };
    });
    await removing;
    assert.equal(await isSignedIn(service, thief), false);
    assert.equal(await db.transaction((tx) => usePasskey(tx, id, 0)), false);
  });

  await t.test('a passkey added during "remove all" is removed too', async () => {
    const ada = await createPerson(service);
    const user = (await findUser(db, ada.userId))!;
    await storePasskey(service, ada.userId, 'Phone');
    const thief = await signIn(service, ada.userId);
    const { removing } = await db.transaction(async (tx) => {
      const passkey = { id: ada.userId, userId: ada.userId, name: 'Quick thief', publicKey: new Uint8Array(1) };
      await insertPasskey(tx, { ...passkey, signCount: 0, transports: [] });
      await holdSession(tx, thief.session);
      const removing = removePasskeys(service.service, user, ada.session);
      await lockWaitersAre(service.service, 1);
      return { removing };
    });
    await removing;
    assert.deepEqual(await listPasskeys(db, ada.userId), []);
    assert.match((await mailAtOnce(service, ada.email)).text, /“Quick thief”/);
  });

  await t.test('signing out of all games ends tokens, consents and spending limits', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)];
    const other = await service.createApp({ name: 'Dungeon' });
    for (const person of [ada, eve]) for (const app of [game, other]) await letIn(person, app.id);
    assert.match((await visit(service, ada, '/account/apps')).body, /Sign out of all games/);
    const before = security.counts.get('games-signed-out') ?? 0;
    const answer = await send(service, ada, SIGN_OUT, { page: CHECK });
    assert.deepEqual([answer.status, answer.location], [303, `${CHECK}?changed=games`]);
    assert.equal(security.counts.get('games-signed-out'), before + 1);
    const left = async (person: Person) => [
      (await codesAndGrants(person)).length,
      (await listMandates(db, person.userId)).length,
      (await findConsent(db, person.userId, game.id)) !== null,
    ];
    assert.deepEqual(await left(ada), [0, 0, false]);
    assert.deepEqual(await left(eve), [4, 2, true]);
    assert.ok(await isSignedIn(service, ada), 'our own pages are no game');
    assert.match((await visit(service, ada, '/account/apps')).body, /No game has access/);
  });

  await t.test('the check page and its buttons require a fresh sign-in', async () => {
    const ada = await createPerson(service);
    await storePasskey(service, ada.userId, 'Phone');
    await letIn(ada);
    const late = await signIn(service, ada.userId, 16);
    const shown = await visit(service, late, CHECK);
    assert.equal(shown.location, `/sign-in?${new URLSearchParams({ again: 'true', return_to: CHECK })}`);
    for (const path of [REMOVE_ALL, SIGN_OUT]) {
      const { location } = await send(service, late, path, { page: CHECK });
      assert.match(String(location), /^\/sign-in\?again=true&return_to=%2Fcontinue%2F/);
    }
    assert.equal((await listPasskeys(db, ada.userId)).length, 1);
    assert.ok(await findConsent(db, ada.userId, game.id));
  });
});
