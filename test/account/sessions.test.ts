import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSession } from '../../src/oauth/sessions.ts';
import { createPerson, signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { isSignedIn, send, visit } from '../kit/service/visits.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { changeRecords } from '../rows/oauth.ts';
import { ago } from '../rows/times.ts';

const PATH = '/account/sessions';
const END = '/account/sessions/end';

test('the list of sessions', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const securityCount = (event: 'session-ended' | 'sessions-ended') => service.service.security.counts.get(event) ?? 0;

  await t.test('each session is listed with browser, method and times, and the current one is marked', async () => {
    const ada = await createPerson(service);
    const eve = await createPerson(service);
    await startSession(db, ada.userId, ['hwk'], 'Firefox on Windows');
    await startSession(db, ada.userId, ['otp'], null);
    const { body } = await visit(service, ada, PATH);
    assert.match(body, /Firefox on Windows<\/strong>\s*<p class="hint">Last used: [\s\S]*?with a passkey/);
    assert.match(body, /with a code sent by e-mail/);
    assert.equal(body.match(/Unknown browser<\/strong>/g)?.length, 2);
    assert.equal(body.match(/This browser/g)?.length, 1);
    assert.equal(body.match(/name="session"/g)?.length, 2);
    assert.ok(!body.includes(`value="${ada.session.uid}"`), 'this browser has the ordinary way out');
    assert.match(body, /after 2 days without use, and 30 days after signing in/);
    assert.ok(!(await visit(service, eve, PATH)).body.includes('Firefox'));
  });

  await t.test('signing in stores a name for the browser, never its header', async () => {
    const ada = await personWithPassword(service);
    const value = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0 <b>secret</b>';
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: service.origin,
      'user-agent': value,
    };
    const payload = new URLSearchParams({ email: ada.email, password: PASSWORD }).toString();
    const answer = await service.app.inject({ method: 'POST', url: '/sign-in', headers, payload });
    assert.equal(answer.statusCode, 303);
    const rows = await db.query<{ browser: string | null }>(
      `SELECT browser FROM oauth_records WHERE model = 'Session' AND user_id = $1 ORDER BY created_at`,
      [ada.userId],
    );
    assert.deepEqual(rows, [{ browser: null }, { browser: 'Firefox on Windows' }]);
  });

  await t.test('ending one session keeps the others', async () => {
    const ada = await createPerson(service);
    const [phone, tablet] = [await signIn(service, ada.userId), await signIn(service, ada.userId)];
    const before = securityCount('session-ended');
    const answer = await send(service, ada, END, { session: phone.session.uid });
    assert.deepEqual([answer.status, answer.location], [303, PATH]);
    assert.deepEqual(
      [await isSignedIn(service, phone), await isSignedIn(service, tablet), await isSignedIn(service, ada)],
      [false, true, true],
    );
    assert.equal((await send(service, ada, END, { session: phone.session.uid })).status, 303, 'a second click');
    assert.equal(securityCount('session-ended'), before + 1);
  });

  await t.test('a foreign or made-up session id ends no session', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)];
    const cookie = ada.cookie.split('=')[1]!;
    for (const session of [ada.session.uid, cookie, '', '%', "x'", '\0', 'x'.repeat(1000)]) {
      assert.equal((await send(service, eve, END, { session })).status, 303, session);
    }
    for (const person of [ada, eve]) assert.ok(await isSignedIn(service, person));
  });

  await t.test('signing out everywhere else ends all sessions but this one', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)];
    const elsewhere = await signIn(service, ada.userId);
    const before = securityCount('sessions-ended');
    assert.equal((await send(service, ada, PATH)).location, PATH);
    assert.equal(await isSignedIn(service, elsewhere), false);
    for (const person of [ada, eve]) assert.ok(await isSignedIn(service, person));
    assert.equal(securityCount('sessions-ended'), before + 1);
  });

  await t.test('two sessions that end each other at once leave one signed in', async () => {
    for (let round = 0; round < 10; round++) {
      const ada = await createPerson(service);
      const elsewhere = await signIn(service, ada.userId);
      await Promise.all([
        send(service, ada, END, { session: elsewhere.session.uid }),
        round % 2 ? send(service, elsewhere, END, { session: ada.session.uid }) : send(service, elsewhere, PATH),
      ]);
      const left = [await isSignedIn(service, ada), await isSignedIn(service, elsewhere)];
      assert.deepEqual(left.sort(), [false, true]);
    }
  });

  await t.test('an expired or idle session is not listed', async () => {
    const ada = await createPerson(service);
    for (const [name, change] of [
      ['Opera on Mac', { usedAt: ago('2881 minutes') }],
      ['Safari on Mac', { expiresAt: ago('1 second') }],
    ] as const) {
      const before = await visit(service, ada, PATH);
      await startSession(db, ada.userId, ['pwd'], name);
      const [row] = await db.query<{ uid: string }>(
        'SELECT uid FROM oauth_records WHERE user_id = $1 AND browser = $2',
        [ada.userId, name],
      );
      assert.ok((await visit(service, ada, PATH)).body.includes(name));
      await changeRecords(db, { uid: row!.uid }, change);
      assert.equal((await visit(service, ada, PATH)).body, before.body);
    }
  });
});
