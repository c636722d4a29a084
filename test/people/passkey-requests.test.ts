import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/database.ts';
import { insertPasskey, listPasskeys, MAX_PASSKEYS } from '../../src/identity/passkeys.ts';
import { lockWaiters } from '../kit/service/lock-waiters.ts';
import { createPerson, type Person } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { until } from '../kit/unit/until.ts';

test('passkeys without a browser', async (t) => {
  const service = await sharedService(t);
  const { app, origin } = service;
  const { db } = service.service;
  const person = await createPerson(service);
  const { cookie, csrf } = person;

  await t.test('passkey requests from other sites are refused', async () => {
    for (const url of ['/passkeys/sign-in/options', '/passkeys/sign-in', '/passkeys/options', '/passkeys']) {
      for (const headers of [{}, { origin: 'https://evil.example' }, { origin, 'sec-fetch-site': 'same-site' }]) {
        const answer = await app.inject({ method: 'POST', url, headers: { cookie, ...headers }, payload: { csrf } });
        assert.equal(answer.statusCode, 403, `${url} ${JSON.stringify(headers)}`);
      }
    }
  });

  await t.test('adding a passkey needs the form token and a fresh sign-in', async () => {
    const old = await createPerson(service, { minutesAgo: 16 });
    const add = (who: string, token: string) =>
      app.inject({
        method: 'POST',
        url: '/passkeys/options',
        headers: { origin, cookie: who },
        payload: { csrf: token },
      });
    assert.equal((await add(cookie, 'guessed')).statusCode, 403);
    assert.equal((await add(old.cookie, old.csrf)).statusCode, 303);
    assert.equal((await add(cookie, csrf)).statusCode, 200);
  });

  await t.test('malformed passkey answers are refused', async () => {
    const nonsense = [null, 'text', 7, [], {}, { id: 'x' }, { response: { clientDataJSON: 'AAAA' } }, { id: '\0' }];
    for (const answer of nonsense) {
      for (const url of ['/passkeys/sign-in', '/passkeys']) {
        const payload = { csrf, name: 'Phone', answer };
        const { statusCode } = await app.inject({ method: 'POST', url, headers: { origin, cookie }, payload });
        assert.equal(statusCode, 422, JSON.stringify(answer));
      }
    }
    const broken = { origin, cookie, 'content-type': 'application/json' };
    const { statusCode } = await app.inject({ method: 'POST', url: '/passkeys', headers: broken, payload: '{' });
    assert.equal(statusCode, 400);
  });

  const insert = (tx: Tx, userId: UserId, n: number) =>
    insertPasskey(tx, {
      id: `key-${userId}-${n}`,
      userId,
      name: `Key ${n}`,
      publicKey: new Uint8Array(1),
      signCount: 0,
      transports: [],
    });

  await t.test('of two passkeys added at once for the last place, one is stored', async () => {
    const { userId } = await createPerson(service);
    await db.transaction(async (tx) => {
      for (let n = 1; n < MAX_PASSKEYS; n++) await insert(tx, userId, n);
    });
    let second: Promise<boolean> | undefined;
    const first = await db.transaction(async (tx) => {
      const added = await insert(tx, userId, 10);
      let done = false;
      second = db
        .transaction((other) => insert(other, userId, 11))
        .finally(() => {
          done = true;
        });
      await until('the second waits, or is through', async () => done || (await lockWaiters({ db })) > 0);
      return added;
    });
    assert.deepEqual([first, await second], [true, false]);
  });

  await t.test(
    'at most ten passkeys are stored, even if twelve are added at once, and nobody removes another’s',
    async () => {
      const add = (n: number) => db.transaction((tx) => insert(tx, person.userId, n));
      const added = await Promise.all(Array.from({ length: 12 }, (_, n) => add(n)));
      assert.equal(added.filter(Boolean).length, 10);
      const { body } = await app.inject({ url: '/account/passkeys', headers: { cookie } });
      assert.match(body, /You have 10 passkeys\. Remove one/);

      const other = await createPerson(service);
      const [{ id } = { id: '' }] = await listPasskeys(db, person.userId);
      const remove = (who: Person) =>
        app.inject({
          method: 'POST',
          url: '/account/passkeys/remove',
          headers: { origin, cookie: who.cookie, 'content-type': 'application/x-www-form-urlencoded' },
          payload: new URLSearchParams({ csrf: who.csrf, id }).toString(),
        });
      assert.equal((await remove(other)).statusCode, 404);
      assert.equal((await remove(person)).statusCode, 303);
      assert.equal((await remove(person)).statusCode, 404, 'gone already');
      assert.equal((await listPasskeys(db, person.userId)).length, 9);
    },
  );
});
