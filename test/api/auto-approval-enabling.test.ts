import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId } from '../../src/base/ids.ts';
import { newTransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { grantConsent, revokeConsent } from '../../src/identity/consents.ts';
import { revokeMandate } from '../../src/identity/mandates.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { mailsTo, mailTo } from '../kit/service/mailbox.ts';
import { disableAutoApproval, enableAutoApproval } from '../kit/service/operator-acts.ts';
import { createPerson } from '../kit/service/people.ts';
import { newPlayer } from '../kit/service/player.ts';
import { startTestService, type TestApp } from '../kit/service/service.ts';
import { asUser } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';
import { ago } from '../rows/times.ts';
import { changeUsers, closeUserAlone } from '../rows/users.ts';

test('enabling auto approval turns earlier approvals into mandates', async (t) => {
  const tested = await startTestService(t, {
    env: { AUTO_APPROVE_PER_TRANSFER: '25', AUTO_APPROVE_PER_DAY: '250', AUTO_APPROVE_DAYS: '7' },
  });
  const { service, issue, settled } = tested;
  const { db } = service;

  /** Approves as on the approval page, without ticking a box. */
  const approve = async (userId: UserId, app: TestApp) => {
    const request = await createRequest(service, asUser(userId, app.id), { tokens: 1, appId: app.id });
    await service.accept({
      transferId: newTransferId(),
      from: request.from,
      to: request.to,
      amount: request.amount,
      origin: { kind: 'approval', requestId: request.id, userId, appId: app.id, actor: `user:${userId}`, by: 'page' },
    });
    await settled();
  };
  const newcomer = async () => {
    const person = await createPerson(tested);
    await issue(person.userId, 10);
    return person;
  };
  const approvals = async (app: TestApp) => {
    const rows = await db.query<{
      user_id: string;
      max_per_transfer: bigint;
      max_per_day: bigint;
      days: number;
      revoked: boolean;
    }>(
      `SELECT user_id, max_per_transfer, max_per_day, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days,
              revoked_at IS NOT NULL AS revoked FROM mandates WHERE app_id = $1`,
      [app.id],
    );
    return new Map(rows.map(({ user_id, ...rest }) => [user_id, rest]));
  };

  await t.test('only players who approved get a mandate when auto approval is enabled', async () => {
    const app = await tested.createApp({ name: 'Space Race' });
    const other = await tested.createApp();
    const [approver, withdrawn, left, closed, bystander, converted] = await Promise.all(
      Array.from({ length: 6 }, newcomer),
    );
    const guest = await tested.createGuest(app);
    await issue(guest.userId, 10);
    for (const { userId } of [approver!, withdrawn!, left!, closed!, converted!, guest]) await approve(userId, app);
    await approve(bystander!.userId, other);
    const limits = { maxPerTransfer: asQuarters(9), maxPerDay: asQuarters(9), days: 1 };
    await grantMandate(db, { userId: withdrawn!.userId, appId: app.id, ...limits });
    await revokeMandate(db, withdrawn!.userId, app.id);
    await grantConsent(db, { userId: left!.userId, appId: app.id, scopes: ['requests'] });
    await revokeConsent(db, left!.userId, app.id);
    await closeUserAlone(db, closed!.userId);
    // Approvals from the account's time as a guest no longer count.
    await changeUsers(db, { id: converted!.userId }, { becameFullAt: ago() });

    assert.deepEqual(await enableAutoApproval(service, app.id), { granted: 2 });
    const given = { max_per_transfer: 25n, max_per_day: 250n, days: 7, revoked: false };
    const found = await approvals(app);
    assert.deepEqual(new Set(found.keys()), new Set([approver!.userId, guest.userId, withdrawn!.userId]));
    assert.deepEqual(found.get(approver!.userId), given);
    assert.deepEqual(found.get(guest.userId), given);
    assert.equal(found.get(withdrawn!.userId)?.revoked, true);

    const mail = await mailTo(tested, approver!.email);
    assert.match(mail.subject, /Space Race/);
    assert.match(mail.text, /up to 25 quarters at a time\s+and 250 a day/);
    assert.match(mail.text, new RegExp(`${service.publicUrl}/account/apps`));

    // A second time creates nothing and notifies nobody again.
    assert.deepEqual(await enableAutoApproval(service, app.id), { granted: 0 });
    await until('all mails are sent', async () => (await db.query('SELECT FROM mails')).length === 0);
    assert.equal((await mailsTo(tested, approver!.email)).length, 1);
    for (const { email } of [withdrawn!, left!, bystander!, converted!]) {
      assert.deepEqual(await mailsTo(tested, email), []);
    }
  });

  await t.test('where a box is asked for, nobody gets a mandate who has not ticked it', async () => {
    const app = await tested.createApp();
    const person = await newcomer();
    await approve(person.userId, app);
    assert.deepEqual(await enableAutoApproval(service, app.id, 'box'), { granted: 0 });
    assert.equal((await approvals(app)).size, 0);
  });

  await t.test('a player whose page said nothing of it gets no mandate later', async () => {
    const app = await tested.createApp({ autoApprove: true });
    const person = await newcomer();
    await approve(person.userId, app);
    await disableAutoApproval(service, app.id);
    assert.deepEqual(await enableAutoApproval(service, app.id), { granted: 0 });
    assert.equal((await approvals(app)).size, 0);
  });

  await t.test('a player gets a mail when approving lets an app take quarters, and not at each payment', async () => {
    const game = await tested.createApp({ autoApprove: true });
    const player = await newPlayer(tested, game, 100);
    const [{ email } = { email: '' }] = await db.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [
      player.user.userId,
    ]);
    const mails = async () => {
      await until('all mails are sent', async () => (await db.query('SELECT FROM mails')).length === 0);
      return (await mailsTo(tested, email)).length;
    };
    const approve = async (form: Record<string, string>) => {
      await (await player.ask(1)).decide({ decision: 'approve', mandate: 'on', ...form });
      return mails();
    };
    assert.equal(await approve({ ask: 'always' }), 0);
    assert.equal(await approve({}), 1);
    assert.match((await mailTo(tested, email)).text, /25 quarters at a time/);
    assert.equal(await approve({}), 1, 'a renewal');
    await revokeMandate(db, player.user.userId, game.id);
    assert.equal(await approve({}), 2);
  });

  await t.test('auto approval can only be enabled for an existing app', async () => {
    const unknown = 'x'.repeat(20) as TestApp['id'];
    await assert.rejects(enableAutoApproval(service, unknown), { code: 'not-found' });
    await assert.rejects(disableAutoApproval(service, unknown), { code: 'not-found' });
  });
});
