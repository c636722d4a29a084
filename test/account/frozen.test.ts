import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asAddress } from '../../src/base/address.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { freezeUser } from '../../src/features/accounts/freeze.ts';
import { removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { payUser } from '../../src/features/payments/pay-user.ts';
import { findUser } from '../../src/identity/users.ts';
import { holdFreeze } from '../../src/ledger/frozen-accounts.ts';
import { call } from '../kit/service/call.ts';
import { convert, createGame, guestPath } from '../kit/service/conversion.ts';
import { tokenWith } from '../kit/service/oauth-token.ts';
import { storePasskey } from '../kit/service/passkey.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze, unfreeze } from '../kit/service/stopping.ts';
import { codeIn, hiddenField, mailTo, send, visit } from '../kit/service/visits.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { asApp } from '../kit/unit/callers.ts';

/** A frozen person with a password. */
async function frozenPerson(s: TestService) {
  const person = await personWithPassword(s);
  await freeze(s.service, person.userId);
  return { person, user: (await findUser(s.service.db, person.userId))! };
}

test('a frozen account', async (t) => {
  const s = await sharedService(t);
  const { service } = s;

  await t.test('says so on top of its overview, with what is left to do and whom to ask', async () => {
    const { person } = await frozenPerson(s);
    const { status, body } = await visit(s, person, '/account');
    assert.equal(status, 200);
    assert.match(body, /<h2 id="frozen">Your account is frozen<\/h2>/);
    assert.match(body, /decline payments/);
    assert.match(body, /Contact .+ to find out more/);
    assert.doesNotMatch(body, /a chargeback/);
  });
  await t.test('receives, and is read by pages, exports and the API', async () => {
    const { person } = await frozenPerson(s);
    const game = await s.createApp();
    await s.issue(game.id, 100);
    await payUser(service, asApp(game.id), { from: asAddress(game.address), amount: 7, user: person.userId });
    await s.settled();
    const token = await tokenWith(service, person.userId, game.id, ['wallet']);
    const balance = await call(s.app, `GET /v1/accounts/${person.address}/balance`, { token });
    assert.match(balance.body, /"quarters":"?7"?[,}]/);
    for (const path of ['/account/activity', '/account/export.csv', '/account/export-profile.csv', '/account/apps']) {
      assert.equal((await visit(s, person, path)).status, 200, path);
    }
  });
  await t.test('changes no e-mail address and no password, and is not closed', async () => {
    const { person, user } = await frozenPerson(s);
    const forms: [path: string, form: Record<string, string>][] = [
      ['/account/email', { email: 'thief@mail.example' }],
      ['/account/password', { password: 'a brand new password', current_password: PASSWORD }],
      ['/account/close', { email: user.email! }],
    ];
    for (const [path, form] of forms) {
      const page = await visit(s, person, path);
      assert.deepEqual([page.status, /<button[^>]*>(Change|Send|Close)/.test(page.body)], [403, false], path);
      const answer = await send(s, person, path, form);
      assert.equal(answer.status, 403, `${path}: ${answer.body}`);
      assert.match(answer.body, /Your account is frozen/);
    }
    assert.deepEqual(await findUser(service.db, person.userId), user);
    await assert.rejects(closeAccount(service, user, person.session), { code: 'account-frozen' });
  });
  await t.test('refuses a change of address that began before, in the transaction that would make it', async () => {
    const person = await personWithPassword(s);
    const email = `new-${person.userId}@mail.example`;
    const begun = await send(s, person, '/account/email', { email });
    await freeze(service, person.userId);
    const confirmed = await send(s, person, '/account/email/confirm', {
      change: hiddenField(begun, 'change'),
      old_code: codeIn(await mailTo(s, person.email, 'is your code to change')),
      new_code: codeIn(await mailTo(s, email, 'is your code to change')),
    });
    assert.equal(confirmed.status, 403);
    assert.equal((await findUser(service.db, person.userId))?.email, person.email);
  });
  await t.test('makes no passkey, and may rid itself of those it has', async () => {
    const { person, user } = await frozenPerson(s);
    await storePasskey(s, person.userId, 'Phone');
    const passkeys = await visit(s, person, '/account/passkeys');
    assert.doesNotMatch(passkeys.body, /data-passkey="make"/);
    const { app, origin } = s;
    const offered = await app.inject({
      method: 'POST',
      url: '/passkeys/options',
      headers: { origin, cookie: person.cookie },
      payload: { csrf: person.csrf },
    });
    assert.equal(offered.statusCode, 403);
    await removePasskeys(service, user, person.session);
  });
  await t.test('is an account like any other once it is unfrozen', async () => {
    const { person, user } = await frozenPerson(s);
    await unfreeze(service, person.userId);
    assert.doesNotMatch((await visit(s, person, '/account')).body, /frozen/);
    assert.equal(await closeAccount(service, user, person.session), true);
    const freezing = service.db.transaction((tx) => freezeUser(tx, person.userId, 'too late'));
    await assert.rejects(freezing, { code: 'not-found' });
  });
});

test('a frozen guest who becomes a full user stays frozen', async (t) => {
  const s = await sharedService(t);
  const game = await createGame(s);
  const guest = await s.createGuest(game);
  await freeze(s.service, guest.userId);
  assert.equal((await convert(s, guestPath(game, guest))).statusCode, 303);
  assert.equal((await findUser(s.service.db, guest.userId))?.kind, 'full');
  assert.equal(await s.service.db.transaction((tx) => holdFreeze(tx, guest.userId)), true);
});

test('freezing twice changes nothing the second time, and needs a reason', async (t) => {
  const s = await sharedService(t);
  const { db } = s.service;
  const { userId } = await s.createGuest(await s.createApp());
  const first = await db.transaction((tx) => freezeUser(tx, userId, ' a chargeback '));
  assert.deepEqual(first.before, { frozenAt: null, reason: null });
  assert.equal(first.after.reason, 'a chargeback');
  const second = await db.transaction((tx) => freezeUser(tx, userId, 'another'));
  assert.deepEqual(second, { before: first.after, after: first.after });
  for (const reason of ['', ' ', 'x'.repeat(501)]) {
    await assert.rejects(async () => db.transaction(async (tx) => freezeUser(tx, userId, reason)), {
      code: 'invalid-input',
    });
  }
});
