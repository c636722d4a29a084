import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import { listKeys, USUAL_KEY } from '../../src/identity/app-keys.ts';
import { listMembers } from '../../src/identity/app-members.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { findUser } from '../../src/identity/users.ts';
import { endSessionsOf } from '../../src/oauth/sessions.ts';
import { attributeChange } from '../../src/operator-log/record.ts';
import { asDeveloper } from '../../src/service/managers.ts';
import { answerInvitation, inviteMember } from '../../src/wings/developers-console/features/invitations.ts';
import { handOver, removeMember, showTeam } from '../../src/wings/developers-console/features/members.ts';
import { addMember, createDeveloper, type Developer, registerApp } from '../kit/service/developer.ts';
import { approve, askFor } from '../kit/service/history.ts';
import { lockWaitersAre } from '../kit/service/lock-waiters.ts';
import { startTestService, type TestApp } from '../kit/service/service.ts';
import { locking } from './by-the-order.ts';

const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'rejected' ? (result.reason as Problem).code : 'done';

test('changes of a team that race', async (t) => {
  const s = await startTestService(t, { wings: 'developers-console' });
  const { service } = s;
  const { db } = service;
  const withAdmins = async () => {
    const [owner, one, two] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
    const { id } = await registerApp(owner);
    await addMember(s, id, one, 'admin');
    await addMember(s, id, two, 'admin');
    return { id: id as AppId, owner, one, two };
  };
  /** What happens while somebody else holds the app's row: the acts wait for it, in this order. */
  const inTurn = async (id: AppId, ...acts: readonly (() => Promise<unknown>)[]) => {
    const running: Promise<unknown>[] = [];
    await db.transaction(async (tx) => {
      await tx.query(...locking('apps', 'id', id));
      for (const act of acts) {
        running.push(act().catch((error: unknown) => error));
        await lockWaitersAre(service, running.length);
      }
    });
    return (await Promise.all(running)).map((result) => (result instanceof Problem ? result.code : 'done'));
  };

  await t.test('of two handovers at once one happens, and the app has one owner', async () => {
    const { id, owner, one, two } = await withAdmins();
    const by = asDeveloper(owner.session);
    const results = await Promise.allSettled([one, two].map(({ userId }) => handOver(service, by, id, userId)));
    assert.deepEqual(results.map(codeOf).sort(), ['done', 'role-not-allowed']);
    const { owner: now, members } = await showTeam(service, by, id);
    const people = [now!.userId, ...members.map(({ userId }) => userId)].sort();
    assert.deepEqual(people, [owner.userId, one.userId, two.userId].sort());
    assert.notEqual(now!.userId, owner.userId);
  });

  await t.test('two admins who remove each other: one stays', async () => {
    const { id, one, two } = await withAdmins();
    const results = await Promise.allSettled([
      removeMember(service, asDeveloper(one.session), id, two.userId),
      removeMember(service, asDeveloper(two.session), id, one.userId),
    ]);
    assert.deepEqual(results.map(codeOf).sort(), ['done', 'not-found']);
    assert.equal((await listMembers(db, id)).length, 1);
  });

  await t.test('what a removed admin had begun is refused', async () => {
    const { id, owner, one } = await withAdmins();
    const by = asDeveloper(one.session);
    const outcomes = await inTurn(
      id,
      () => removeMember(service, asDeveloper(owner.session), id, one.userId),
      () => issueKey(service, by, id, USUAL_KEY),
      () => updateApp(service, by, id, { name: 'Taken over' }),
      () => inviteMember(service, by, id, { email: 'friend@mail.example', role: 'admin' }),
    );
    assert.deepEqual(outcomes, ['done', 'not-found', 'not-found', 'not-found']);
    assert.equal((await listKeys(db, id, { living: true })).length, 2);
    assert.equal((await lookUpApp(db, id))!.name, 'Space Race');
    assert.deepEqual((await showTeam(service, asDeveloper(owner.session), id)).invitations, []);
  });

  await t.test('a refund waits for a change of the team, and a removed admin’s is refused', async () => {
    const { id, owner, one, two } = await withAdmins();
    await s.issue(owner.userId, 10);
    const asked = await askFor(s, { id } as TestApp, owner, 10);
    await approve(s, asked);
    await s.settled();
    const refund = ({ userId, session: { uid } }: Developer) => {
      const change = attributeChange({ action: 'payment-refunded', subject: { kind: 'payment', id: asked.id } });
      const payer = { appId: id, keyHash: null, payPerDay: null, member: { userId, session: uid, change } };
      return refundRequest(service, payer, { requestId: asked.id, amount: 1 });
    };
    // Both had the right when they began: only the check in the refund's own transaction sees the change.
    const outcomes = await inTurn(
      id,
      () => removeMember(service, asDeveloper(owner.session), id, one.userId),
      () => refund(one),
    );
    assert.deepEqual(outcomes, ['done', 'role-not-allowed']);
    assert.equal((await refund(two)).amount, 1n);
    await db.transaction((tx) => endSessionsOf(tx, two.userId));
    await assert.rejects(refund(two), { code: 'token-expired' });
    await s.settled();
  });

  await t.test('nobody joins a team while they close their account', async () => {
    const { id, owner } = await withAdmins();
    const invited = await createDeveloper(s);
    await inviteMember(service, asDeveloper(owner.session), id, { email: invited.email, role: 'viewer' });
    const user = (await findUser(db, invited.userId))!;
    const [joined, closed] = await Promise.allSettled([
      answerInvitation(service, invited.session, id, 'join'),
      closeAccount(service, user, invited.session),
    ]);
    assert.equal(closed.status === 'fulfilled' && closed.value, true);
    assert.ok(['done', 'not-found', 'token-expired'].includes(codeOf(joined)), codeOf(joined));
    assert.ok((await listMembers(db, id)).every(({ userId }) => userId !== invited.userId));
  });
});
