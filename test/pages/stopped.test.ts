import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { mandateOffer } from '../../src/views/approvals/confirmation.ts';
import { guestPath, open } from '../kit/service/conversion.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { ask, fundedPayment, newPayment, statusOf } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { freeze, resume, suspend, unfreeze } from '../kit/service/stopping.ts';
import { asUser } from '../kit/unit/callers.ts';

/** What the page hands to its game. */
const resultIn = (body: string) =>
  JSON.parse((/data-result="([^"]+)"/.exec(body)?.[1] ?? 'null').replaceAll('&quot;', '"'));

test('payments of frozen players, and to suspended apps', async (t) => {
  const s = await sharedService(t);
  const { service } = s;
  const site = 'https://play.example';
  const kinds = {
    'account-frozen': { notice: /Your account is frozen, so you can’t approve this/ },
    'app-suspended': { notice: /This game is suspended, so you can’t approve this/ },
  } as const;

  for (const [code, { notice }] of Object.entries(kinds) as [keyof typeof kinds, { notice: RegExp }][]) {
    await t.test(`${code}: the page says so, its game gets an error, and the player may decline`, async () => {
      const game = await s.createApp({ frameAncestors: [site] });
      const payment = await fundedPayment(s, game);
      const stale = await payment.formToken();
      const stop = () =>
        code === 'account-frozen' ? freeze(service, payment.guest.userId) : suspend(service, game.id);
      const lift = () =>
        code === 'account-frozen' ? unfreeze(service, payment.guest.userId) : resume(service, game.id);
      await stop();
      const page = await payment.open({ inline: 'true' }, { 'sec-fetch-dest': 'iframe' });
      assert.equal(page.status, 200);
      assert.match(page.body, notice);
      assert.match(page.body, /Contact .+ to find out more/);
      assert.doesNotMatch(page.body, /value="approve"/);
      assert.match(page.headers['content-security-policy']!, /frame-ancestors https:\/\/play\.example/);

      // The page was open before: its button is refused, and the same page says why.
      const refused = await payment.decide({ page_token: stale, decision: 'approve' });
      assert.equal(refused.status, 403);
      assert.match(refused.body, notice);
      assert.equal(await statusOf(s, payment.id), 'pending');

      const left = await payment.decide({ page_token: stale, decision: 'later' });
      const { reason, requestId, error } = resultIn(left.body);
      assert.deepEqual([left.status, reason, requestId, typeof error], [200, code, payment.id, 'string']);

      await lift();
      assert.equal((await payment.decide({ page_token: stale, decision: 'approve' })).status, 200);
      const other = await newPayment(s, game, { guest: payment.guest });
      await stop();
      assert.equal((await other.decide({ decision: 'decline' })).status, 200);
      assert.equal(await statusOf(s, other.id), 'declined');
      // What was accepted finishes.
      await s.settled();
      assert.equal(await statusOf(s, payment.id), 'completed');
      // A decided payment still shows its result.
      assert.match(resultIn((await payment.open()).body).txId, /^0x/);
    });
  }

  await t.test('a frozen full user is asked as before, and neither approves nor pays by a spending limit', async () => {
    const game = await s.createApp({ autoApprove: true });
    const { userId, cookie, address } = await createPerson(s);
    await s.issue(userId, 100);
    await grantMandate(service.db, { userId, appId: game.id, ...mandateOffer(service) });
    await freeze(service, userId);
    const { id } = await createRequest(service, asUser(userId, game.id), { tokens: 10, appId: game.id });
    const page = await ask(s, { url: `/requests/${id}`, headers: { cookie } });
    assert.match(page.body, kinds['account-frozen'].notice);
    const input = { requestId: id, clientId: game.id, userId, address };
    await assert.rejects(autoApprove(service, asUser(userId, game.id), input), { code: 'account-frozen' });
    assert.equal(await statusOf(s, id), 'pending');
  });

  await t.test('a guest of a suspended app cannot create an account from it', async () => {
    const game = await s.createApp({ redirectUris: ['https://game.example/back'] });
    const guest = await s.createGuest(game);
    await suspend(service, game.id);
    const page = await open(s, guestPath(game, guest));
    assert.equal(page.statusCode, 403);
    assert.match(page.body, /This game is suspended/);
    assert.equal(resultIn(page.body).reason, 'app-suspended');
    // A stranger's token tells nothing about the app.
    const stranger = await open(s, guestPath(game, { accessToken: 'qa_unknown' }));
    assert.doesNotMatch(stranger.body, /suspended/);
  });
});
