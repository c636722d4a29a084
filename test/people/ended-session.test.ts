import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestId } from '../../src/base/ids.ts';
import { confirmEmailChange, startEmailChange } from '../../src/features/accounts/change-email.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { answerConsent, signOutOfGames } from '../../src/features/accounts/connected-games.ts';
import { approveOrDecline } from '../../src/features/approvals/approve-or-decline.ts';
import { issueFormToken } from '../../src/features/approvals/page-access.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { changePassword } from '../../src/features/credentials/change-password.ts';
import { removePasskey, removePasskeys } from '../../src/features/credentials/passkeys.ts';
import { issueKey, revokeKey, rotateKey } from '../../src/features/keys/keys.ts';
import { endOtherSession, signOutElsewhere } from '../../src/features/sessions/sign-out.ts';
import { listKeys } from '../../src/identity/app-keys.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { findConsent, grantConsent } from '../../src/identity/consents.ts';
import { insertPasskey, listPasskeys } from '../../src/identity/passkeys.ts';
import { hashPassword, markPassword, passwordMatches, replacePassword } from '../../src/identity/passwords.ts';
import { findUser } from '../../src/identity/users.ts';
import { lockAccounts } from '../../src/ledger/accounts.ts';
import { endSessionsOf, listSessionsOf, type Session } from '../../src/oauth/sessions.ts';
import { lockRequests } from '../../src/requests/lock-requests.ts';
import { asDeveloper } from '../../src/service/managers.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { codeIn, mailTo } from '../kit/service/mailbox.ts';
import { statusOf, transfersOf } from '../kit/service/payment.ts';
import { signIn } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { PASSWORD, personWithPassword } from '../kit/service/with-password.ts';
import { png } from '../kit/unit/png.ts';
import { changeApps } from '../rows/apps.ts';

const EXPIRED = { code: 'token-expired' };

test('an ended session completes nothing it had started', async (t) => {
  const world = await sharedService(t);
  const { service } = world;
  const { db } = service;

  const approveIn = (session: Session, requestId: RequestId) => {
    const formToken = issueFormToken(service, requestId, session);
    return approveOrDecline(service, { requestId, formToken, session, decision: 'approve', nextTime: null });
  };

  await t.test('a password change is refused once a reset has ended its session', async () => {
    const victim = await personWithPassword(world);
    const user = (await findUser(db, victim.userId))!;
    const { session } = await signIn(world, victim.userId);
    const [seen, hash] = [await markPassword(db, user.id), await hashPassword('the owner has it back')];
    const thief = await db.transaction(async (tx) => {
      assert.ok(await replacePassword(tx, user.id, seen, hash, user.email));
      const changing = changePassword(service, user, session, {
        password: 'the thief keeps it',
        proof: { kind: 'password', password: PASSWORD },
        client: 'there',
      });
      changing.catch(() => {});
      await lockWaitersAre(service, 1);
      await endSessionsOf(tx, user.id);
      return { changing };
    });
    await assert.rejects(thief.changing, EXPIRED);
    assert.ok(await passwordMatches(db, user.id, 'the owner has it back'));
  });

  await t.test('an approval that waits in the queue is refused once its session has ended', async () => {
    const { payment, approving } = await db.transaction(async (tx) => {
      const payment = await personPayment(world, await world.createApp());
      await lockRequests(tx, [payment.id]);
      const approving = approveIn(payment.person.session, payment.id);
      approving.catch(() => {});
      await lockWaitersAre(service, 1);
      await endSessionsOf(tx, payment.person.userId);
      return { payment, approving };
    });
    await assert.rejects(approving, EXPIRED);
    assert.equal(await statusOf(world, payment.id), 'pending');
    assert.deepEqual(await transfersOf(world, payment.id), []);
  });

  await t.test('ending a session waits for a change that is already being committed', async () => {
    const { id, person } = await personPayment(world, await world.createApp());
    const { session: elsewhere } = await signIn(world, person.userId);
    const { approving, ending } = await db.transaction(async (tx) => {
      await lockAccounts(tx, [person.address]);
      const approving = approveIn(person.session, id);
      await lockWaitersAre(service, 1);
      const ending = endOtherSession(service, elsewhere, person.session.uid);
      await lockWaitersAre(service, 2);
      return { approving, ending };
    });
    assert.equal((await approving).kind, 'approved');
    await ending;
    await assert.rejects(
      approveIn(person.session, (await personPayment(world, await world.createApp(), person)).id),
      EXPIRED,
    );
  });

  await t.test('security changes to an account or an app are refused once the session has ended', async () => {
    const victim = await personWithPassword(world);
    const user = (await findUser(db, victim.userId))!;
    const app = await world.createApp({ ownerId: user.id });
    const keys = await listKeys(db, app.id, { living: true });
    const keyId = keys[0]!.id;
    const passkey = { id: 'passkey', userId: user.id, name: 'Phone', publicKey: new Uint8Array(1), signCount: 0 };
    await db.transaction((tx) => insertPasskey(tx, { ...passkey, transports: [] }));
    const { session } = victim;
    const to = `new-${user.email}`;
    const change = await startEmailChange(service, user, session, to);
    const [oldCode, newCode] = [codeIn(await mailTo(world, user.email)), codeIn(await mailTo(world, to))];
    const before = (await lookUpApp(db, app.id))!;
    await endSessionsOf(db, user.id);
    const owner = await signIn(world, user.id);
    await grantConsent(db, { userId: user.id, appId: app.id, scopes: ['profile'] });

    const acts: Record<string, (of: Session) => Promise<unknown>> = {
      password: (of) =>
        changePassword(service, user, of, {
          password: 'the thief keeps it',
          proof: { kind: 'password', password: PASSWORD },
          client: 'there',
        }),
      email: (of) => confirmEmailChange(service, user, of, change, { oldCode, newCode }),
      passkey: (of) => removePasskey(service, user, of, passkey.id),
      passkeys: (of) => removePasskeys(service, user, of),
      agreement: (of) => {
        const interaction = { uid: 'interaction', prompt: 'consent', reasons: [], sessionUid: of.uid } as const;
        return answerConsent(service, of, { ...interaction, appId: app.id, params: { scope: 'requests' } }, true);
      },
      games: (of) => signOutOfGames(service, of),
      sessions: (of) => signOutElsewhere(service, of),
      'a session': (of) => endOtherSession(service, of, owner.session.uid),
      key: (of) => issueKey(service, asDeveloper(of), app.id, keys[0]!),
      replacement: (of) => rotateKey(service, asDeveloper(of), app.id, keyId),
      revocation: (of) => revokeKey(service, asDeveloper(of), app.id, keyId),
      details: (of) => updateApp(service, asDeveloper(of), app.id, { redirectUris: ['https://thief.example/'] }),
      picture: (of) => updateApp(service, asDeveloper(of), app.id, { picture: png() }),
    };
    for (const [name, act] of Object.entries(acts)) await assert.rejects(act(session), EXPIRED, name);
    await changeApps(db, { id: app.id }, { ownerId: null });
    await assert.rejects(closeAccount(service, user, session), EXPIRED);

    assert.ok(await passwordMatches(db, user.id, PASSWORD));
    assert.deepEqual(await findUser(db, user.id), user);
    assert.equal((await listPasskeys(db, user.id)).length, 1);
    assert.deepEqual((await findConsent(db, user.id, app.id))?.scopes, ['profile']);
    assert.deepEqual(
      (await listSessionsOf(db, user.id, 60)).map(({ uid }) => uid),
      [owner.session.uid],
    );
    assert.deepEqual(await listKeys(db, app.id, { living: true }), keys);
    assert.deepEqual(await lookUpApp(db, app.id), { ...before, ownerId: null });
  });
});
