import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import { authenticate } from '../../src/features/sessions/authenticate.ts';
import { signUp } from '../../src/features/sessions/sign-up.ts';
import { findUser, findUserByEmail } from '../../src/identity/users.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const PASSWORD = 'a good password';

test('an account operation that fails at its last step is rolled back', async (t) => {
  const world = await sharedService(t);
  const { service } = world;
  const { db } = service;

  /** Does `act` while nothing can be inserted into its last table. */
  async function failing(table: string, when: string, act: () => Promise<unknown>): Promise<void> {
    await db.query(
      `CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken on purpose'; END $$`,
    );
    await db.query(`CREATE TRIGGER broken BEFORE INSERT ON ${table} FOR EACH ROW ${when} EXECUTE FUNCTION broken()`);
    await assert.rejects(act(), /broken on purpose/);
    await db.query(`DROP TRIGGER broken ON ${table}`);
  }
  const isSession = `WHEN (NEW.model = 'Session')`;

  await t.test('a failed conversion leaves the guest unchanged', async () => {
    const app = await world.createApp();
    const guest = await world.createGuest(app);
    const email = `${randomUUID()}@mail.example`;
    const convert = () =>
      convertGuest(service, {
        appId: app.id,
        userId: guest.userId,
        tokenHash: hashSecret(guest.accessToken),
        email,
        displayName: 'Ada',
        password: PASSWORD,
        flowId: randomUUID(),
        redirectUri: null,
        codeChallenge: undefined,
        signIn: { former: undefined },
        client: 'here',
      });
    await failing('oauth_records', isSession, convert);
    const user = await findUser(db, guest.userId);
    assert.deepEqual([user?.kind, user?.email], ['guest', '']);
    await authenticate(service, guest.accessToken);
    for (const table of ['passwords', 'consents', 'oauth_records']) {
      assert.deepEqual(await db.query(`SELECT FROM ${table} WHERE user_id = $1`, [guest.userId]), [], table);
    }
    assert.equal((await convert()).kind, 'converted', 'afterwards it goes as ever');
  });

  await t.test('a failed account closure leaves the account unchanged', async () => {
    const person = await createPerson(world);
    const user = (await findUser(db, person.userId))!;
    const close = () => closeAccount(service, user, person.session);
    await failing('mails', '', close);
    assert.deepEqual(await findUser(db, person.userId), user);
    const open = await db.query('SELECT FROM accounts WHERE user_id = $1 AND closed_at IS NULL', [person.userId]);
    assert.equal(open.length, 1);
    assert.equal((await world.app.inject({ url: '/account', headers: { cookie: person.cookie } })).statusCode, 200);
    assert.equal(await close(), true);
  });

  await t.test('a failed sign-up leaves the e-mail address free', async () => {
    const email = `${randomUUID()}@mail.example`;
    const join = () =>
      signUp(service, { email, displayName: 'Ada', password: PASSWORD, client: 'here', former: undefined });
    const accounts = () => db.query(`SELECT FROM accounts WHERE kind = 'user'`);
    const before = (await accounts()).length;
    await failing('oauth_records', isSession, join);
    assert.equal(await findUserByEmail(db, email), null);
    assert.equal((await accounts()).length, before);
    assert.ok(await join());
  });
});
