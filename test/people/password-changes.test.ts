import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { resetPassword } from '../../src/features/credentials/reset-password.ts';
import { signIn } from '../../src/features/sessions/sign-in.ts';
import { signUp } from '../../src/features/sessions/sign-up.ts';
import { hashPassword, passwordMatches, storePassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { endSessionsOf, findSession, startSession } from '../../src/oauth/sessions.ts';
import type { Service } from '../../src/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';

/** The password is changed, and every session ended, in the moment between comparing it and opening a session. */
test('a password that is changed during its comparison does not sign in', async (t) => {
  const world = await sharedService(t);
  const { service } = world;
  const { db } = service;
  const here = { client: 'here', former: undefined, knownBrowsers: [] };

  const cases: [name: string, transactionsBefore: number, act: (service: Service, of: Of) => Promise<string | null>][] =
    [
      ['sign-in', 0, (raced, { email }) => signIn(raced, { email, password: PASSWORD, ...here })],
      [
        'a sign-up sent twice',
        1,
        (raced, { email }) => signUp(raced, { email, displayName: 'Ada', password: PASSWORD, ...here }),
      ],
      [
        'a reset sent twice',
        1,
        (raced, { userId, email }) =>
          resetPassword(raced, { userId, email, seen: null }, { password: PASSWORD, ...here }),
      ],
    ];
  for (const [name, transactionsBefore, act] of cases) {
    await t.test(name, async () => {
      const person = await personWithPassword(world);
      const user = (await findUser(db, person.userId))!;
      assert.ok(await act(service, person), 'with nobody between, it opens one');
      let transactions = 0;
      const transaction: typeof db.transaction = async (work) => {
        if (transactions++ === transactionsBefore) {
          const elsewhere = await findSession(db, await startSession(db, user.id, ['pwd']), 60);
          await changePassword(service, user, elsewhere!, {
            password: OTHER,
            proof: { kind: 'password', password: PASSWORD },
            client: 'elsewhere',
          });
        }
        return db.transaction(work);
      };
      assert.equal(await act({ ...service, db: { ...db, transaction } }, person), null);
      assert.equal(transactions, transactionsBefore + 1);
      const left = await db.query(`SELECT FROM oauth_records WHERE model = 'Session' AND user_id = $1`, [user.id]);
      assert.equal(left.length, 1, 'only the one that changed it');
    });
  }
});

test('a user signed out meanwhile cannot change the password', async (t) => {
  const world = await sharedService(t);
  const { service } = world;
  const { db } = service;
  const person = await personWithPassword(world);
  const user = (await findUser(db, person.userId))!;
  const thief = (await findSession(db, await startSession(db, user.id, ['pwd']), 60))!;
  // What a reset does, while the thief's form waits for its hash.
  await endSessionsOf(db, user.id);
  await assert.rejects(
    changePassword(service, user, thief, {
      password: OTHER,
      proof: { kind: 'password', password: PASSWORD },
      client: 'elsewhere',
    }),
    {
      code: 'token-expired',
    },
  );
  assert.ok(await passwordMatches(db, user.id, PASSWORD));
});

test('a password change is refused if another change came first', async (t) => {
  const world = await sharedService(t);
  const { service } = world;
  const { db } = service;
  const person = await personWithPassword(world);
  const user = (await findUser(db, person.userId))!;
  const elsewhere = await hashPassword('set in another tab');
  const transaction: typeof db.transaction = async (work) => {
    await storePassword(db, user.id, elsewhere);
    return db.transaction(work);
  };
  const change = { password: OTHER, proof: { kind: 'password', password: PASSWORD }, client: 'here' } as const;
  const raced = { ...service, db: { ...db, transaction } };
  await assert.rejects(changePassword(raced, user, person.session, change), { code: 'invalid-input' });
  assert.ok(await passwordMatches(db, user.id, 'set in another tab'));
});

type Of = Awaited<ReturnType<typeof personWithPassword>>;
const OTHER = 'a brand new password';
