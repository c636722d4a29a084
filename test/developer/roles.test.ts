import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type AppId, newRequestId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { requestAutoApproval } from '../../src/features/apps/auto-approval.ts';
import { giveMoreTestQuarters } from '../../src/features/apps/test-quarters.ts';
import { updateApp } from '../../src/features/apps/update-app.ts';
import { issueKey, revokeKey } from '../../src/features/keys/keys.ts';
import { changeWebhooks } from '../../src/features/webhooks/change-webhooks.ts';
import { sendTestEvent } from '../../src/features/webhooks/test-events.ts';
import { USUAL_KEY } from '../../src/identity/app-keys.ts';
import { type AppRight, MEMBER_ROLES } from '../../src/identity/app-roles.ts';
import { findUser } from '../../src/identity/users.ts';
import { countChange } from '../../src/service/count-change.ts';
import { appFor, asDeveloper, type Developer as Caller, OPERATOR } from '../../src/service/managers.ts';
import { listApps, showApp } from '../../src/views/apps/show-app.ts';
import { showEvents, showWebhooks } from '../../src/views/webhooks/show-webhooks.ts';
import {
  answerInvitation,
  inviteMember,
  receivedInvitations,
  withdrawInvitation,
} from '../../src/wings/developers-console/features/invitations.ts';
import {
  changeRole,
  handOver,
  leaveTeam,
  removeMember,
  showTeam,
} from '../../src/wings/developers-console/features/members.ts';
import { refundAsMember } from '../../src/wings/developers-console/features/refund-as-member.ts';
import { addMember, createDeveloper, type Developer, registerApp } from '../kit/service/developer.ts';
import { mailAtOnce } from '../kit/service/mailbox.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { ageInvitations } from '../rows/apps.ts';

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'done',
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error)),
  );

test('the team of an app', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const { db } = service;
  const by = ({ session }: Developer) => asDeveloper(session);
  const newApp = async (owner: Developer) => (await registerApp(owner)).id as AppId;

  await t.test('nobody fills the operator’s log: a developer makes 300 changes an hour', async () => {
    const [owner, other] = [await createDeveloper(s), await createDeveloper(s)];
    const change = async (who: Developer, id: AppId) => codeOf(updateApp(service, by(who), id, { name: 'Dice' }));
    const [id, others] = [await newApp(owner), await newApp(other)];
    await db.transaction(async (tx) => {
      for (let i = 0; i < 299; i++) await countChange(tx, owner.userId, 'too-many-tries');
    });
    assert.deepEqual([await change(owner, id), await change(owner, id)], ['done', 'too-many-tries']);
    assert.equal(await change(other, others), 'done');
  });

  await t.test('each role may do what the table of roles says, and a stranger finds nothing', async () => {
    const owner = await createDeveloper(s);
    const id = await newApp(owner);
    const nobody = owner.userId.replaceAll(/./g, 'x') as typeof owner.userId;
    const refund = { requestId: newRequestId(), amount: asQuarters(1), formId: randomUUID() };
    const acts: readonly [AppRight, (caller: Caller) => Promise<unknown>][] = [
      ['read', (caller) => showApp(service, caller, id)],
      ['read', (caller) => showWebhooks(service, caller, id)],
      ['read', (caller) => showTeam(service, caller, id)],
      [
        'read',
        (caller) =>
          showEvents(service, caller, id, { type: null, from: null, to: null, before: null, requestId: null }),
      ],
      ['webhooks', (caller) => changeWebhooks(service, { by: caller, appId: id }, async () => ({}))],
      ['webhooks', (caller) => sendTestEvent(service, caller, id, { type: 'request.failed', endpoint: null })],
      ['refund', (caller) => refundAsMember(service, caller, id, refund)],
      ['test-quarters', (caller) => giveMoreTestQuarters(service, caller, id, refund.formId)],
      ['configure', (caller) => updateApp(service, caller, id, { name: 'Space Race' })],
      ['configure', (caller) => requestAutoApproval(service, caller, id)],
      ['keys', (caller) => issueKey(service, caller, id, USUAL_KEY)],
      ['keys', (caller) => revokeKey(service, caller, id, '0'.repeat(16))],
      ['team', (caller) => inviteMember(service, caller, id, { email: 'a@mail.example', role: 'viewer' })],
      ['team', (caller) => withdrawInvitation(service, caller, id, 'b@mail.example')],
      ['team', (caller) => changeRole(service, caller, id, nobody, 'viewer')],
      ['team', (caller) => removeMember(service, caller, id, nobody)],
      ['delete', (caller) => handOver(service, caller, id, nobody)],
    ];
    const rights: Record<string, readonly AppRight[]> = {
      admin: ['read', 'webhooks', 'test-quarters', 'refund', 'configure', 'keys', 'team'],
      developer: ['read', 'webhooks', 'test-quarters'],
      viewer: ['read'],
    };
    const stranger = await createDeveloper(s);
    for (const [, act] of acts) assert.equal(await codeOf(act(by(stranger))), 'not-found');
    for (const role of MEMBER_ROLES) {
      const member = await createDeveloper(s);
      await addMember(s, id, member, role);
      assert.deepEqual(
        (await listApps(service, by(member))).map(({ app }) => [app.id, app.role]),
        [[id, role]],
      );
      for (const [i, [right, act]] of acts.entries()) {
        const refused = (await codeOf(act(by(member)))) === 'role-not-allowed';
        assert.equal(refused, !rights[role]!.includes(right), `${role}: ${right}, ${i}`);
      }
    }
    await assert.rejects(appFor(service, OPERATOR, 'x'.repeat(20), 'read'), { code: 'not-found' });
    const viewer = await createDeveloper(s);
    await addMember(s, id, viewer, 'viewer');
    await assert.rejects(appFor(service, by(viewer), id, 'keys'), { message: 'Your role is viewer. Ask an admin.' });
    await assert.rejects(appFor(service, by(viewer), id, 'delete'), { message: 'Your role is viewer. Ask the owner.' });
  });

  await t.test('who has the invited address joins with the role, once', async () => {
    const [owner, invited, other] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
    const id = await newApp(owner);
    await inviteMember(service, by(owner), id, { email: invited.email.toUpperCase(), role: 'viewer' });
    await inviteMember(service, by(owner), id, { email: invited.email, role: 'developer' });
    assert.match((await mailAtOnce(s, invited.email)).text, /Space Race.*as a developer/s);
    const answer = (who: Developer, what: 'join' | 'decline') => answerInvitation(service, who.session, id, what);

    const [received] = await receivedInvitations(service, (await findUser(db, invited.userId))!);
    assert.deepEqual(
      [received!.appId, received!.appName, received!.role, received!.invitedBy],
      [id, 'Space Race', 'developer', owner.email],
    );
    assert.deepEqual(await receivedInvitations(service, (await findUser(db, other.userId))!), []);
    assert.equal(await codeOf(answer(other, 'join')), 'not-found');
    assert.equal(await codeOf(answer(invited, 'join')), 'done');
    assert.equal(await codeOf(answer(invited, 'join')), 'not-found');
    const { members, invitations } = await showTeam(service, by(owner), id);
    assert.deepEqual(
      [members.map(({ email, role }) => [email, role]), invitations],
      [[[invited.email, 'developer']], []],
    );
    assert.equal(
      await codeOf(inviteMember(service, by(owner), id, { email: invited.email, role: 'admin' })),
      'invalid-input',
    );
    assert.equal(
      await codeOf(inviteMember(service, by(owner), id, { email: 'nobody', role: 'admin' })),
      'invalid-input',
    );
  });

  await t.test('an invitation that was declined, withdrawn or is two weeks old opens nothing', async () => {
    const [owner, invited] = [await createDeveloper(s), await createDeveloper(s)];
    const id = await newApp(owner);
    const invite = () => inviteMember(service, by(owner), id, { email: invited.email, role: 'viewer' });
    const join = () => codeOf(answerInvitation(service, invited.session, id, 'join'));
    await invite();
    await answerInvitation(service, invited.session, id, 'decline');
    assert.equal(await join(), 'not-found');
    await invite();
    await withdrawInvitation(service, by(owner), id, invited.email);
    assert.equal(await join(), 'not-found');
    await invite();
    await ageInvitations(db, id, '14 days');
    assert.deepEqual((await showTeam(service, by(owner), id)).invitations, []);
    assert.equal(await join(), 'not-found');
  });

  await t.test('what a member sent is withdrawn when they may not invite any more', async () => {
    const owner = await createDeveloper(s);
    const id = await newApp(owner);
    const admins = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
    for (const [i, admin] of admins.entries()) {
      await addMember(s, id, admin, 'admin');
      await inviteMember(service, by(admin), id, { email: `friend-${i}@mail.example`, role: 'admin' });
    }
    await removeMember(service, by(owner), id, admins[0]!.userId);
    await changeRole(service, by(owner), id, admins[1]!.userId, 'viewer');
    await leaveTeam(service, by(admins[2]!), id);
    const { members, invitations } = await showTeam(service, by(owner), id);
    assert.deepEqual([members.map(({ userId }) => userId), invitations], [[admins[1]!.userId], []]);
    assert.equal(await codeOf(leaveTeam(service, by(owner), id)), 'not-found');
  });

  await t.test('the owner hands the app over to an admin and stays as one', async () => {
    const [owner, admin, viewer] = [await createDeveloper(s), await createDeveloper(s), await createDeveloper(s)];
    const id = await newApp(owner);
    await addMember(s, id, admin, 'admin');
    await addMember(s, id, viewer, 'viewer');
    assert.equal(await codeOf(handOver(service, by(owner), id, viewer.userId)), 'not-found');
    await handOver(service, by(owner), id, admin.userId);
    assert.equal((await appFor(service, by(admin), id, 'delete')).role, 'owner');
    assert.equal((await appFor(service, by(owner), id, 'team')).role, 'admin');
    await inviteMember(service, by(admin), id, { email: 'second-address@mail.example', role: 'admin' });
    await inviteMember(service, by(owner), id, { email: 'friend@mail.example', role: 'viewer' });
    // The operator's choice ends the former owner's rights and invitations, and leaves no second role to the new one.
    await updateApp(service, OPERATOR, id, { ownerId: viewer.userId });
    assert.equal((await appFor(service, by(viewer), id, 'delete')).role, 'owner');
    const { members, invitations } = await showTeam(service, by(viewer), id);
    assert.deepEqual(
      [members.map(({ userId }) => userId), invitations.map(({ email }) => email)],
      [[owner.userId], ['friend@mail.example']],
    );
  });
});
