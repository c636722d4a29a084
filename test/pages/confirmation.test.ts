import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asQuarters } from '../../src/base/quarters.ts';
import { autoApprove } from '../../src/features/approvals/auto-approve.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { grantMandate } from '../kit/service/grant-mandate.ts';
import { ask, fundedPayment, newPayment, sendForm, statusOf, transfersOf } from '../kit/service/payment.ts';
import { createPerson, type Person, signIn } from '../kit/service/people.ts';
import { startTestService, type TestApp } from '../kit/service/service.ts';
import { asUser } from '../kit/unit/callers.ts';

const NEEDED = /Payments above 50 quarters need your password or passkey again\./;
const GIVEN = /You’ve confirmed it’s you\./;

test('large payments need a recent sign-in', async (t) => {
  const service = await startTestService(t, { env: { CONFIRM_ABOVE: '50' } });
  const { db } = service.service;
  const back = 'https://game.example/back';
  const app = await service.createApp({ autoApprove: true, redirectUris: [back] });
  const other = await service.createApp();
  const ada = await createPerson(service);
  await service.issue(ada.userId, 1000);
  const longAgo = await signIn(service, ada.userId, 6);
  const justNow = await signIn(service, ada.userId, 4);

  const requestOf = async (tokens: number, by: Person = ada, of: TestApp = app) =>
    (await createRequest(service.service, asUser(by.userId, of.id), { tokens, appId: of.id })).id;
  const open = (id: string, { cookie }: Pick<Person, 'cookie'>) =>
    ask(service, { url: `/requests/${id}`, headers: { cookie } });
  const tokenIn = ({ body }: { body: string }) => /name="page_token" value="([^"]+)"/.exec(body)?.[1] ?? '';
  const decide = async (id: string, as: Pick<Person, 'cookie'>, form: Record<string, string>) => {
    const page_token = form.page_token ?? tokenIn(await open(id, as));
    return sendForm(service, id, { ...form, page_token }, { cookie: as.cookie });
  };
  const signInOf = (id: string, query = '') =>
    `/sign-in?${new URLSearchParams({ again: 'true', return_to: `/requests/${id}?${query}` })}`;

  await t.test('a payment up to the limit needs no confirmation', async () => {
    const id = await requestOf(50);
    const page = await open(id, longAgo);
    assert.doesNotMatch(page.body, NEEDED);
    assert.equal((await decide(id, longAgo, { decision: 'approve' })).status, 303);
    // The payment may be confirmed before the test reads it.
    assert.match(String(await statusOf(service, id)), /^(approved|submitted|completed)$/);
  });

  await t.test(
    'a user who signed in long ago confirms and returns to the payment with the same parameters',
    async () => {
      const id = await requestOf(51);
      const page = await open(id, longAgo);
      assert.match(page.body, NEEDED);
      const formToken = tokenIn(page);
      const sent = { decision: 'approve', mandate: 'on', page_token: formToken };
      const cases: [Record<string, string>, string][] = [
        [{}, ''],
        [{ redirect_uri: back, inline: 'true' }, `redirect_uri=${encodeURIComponent(back)}&inline=true`],
        [{ frame_id: 'a b', opened_by: 'frame' }, 'frame_id=a+b&opened_by=frame'],
        [{ opened_by: 'game' }, 'opened_by=game'],
        [{ proof: 'true' }, 'proof=true'],
        [{ opened_by: '' }, ''],
      ];
      for (const [form, query] of cases) {
        const { status, location } = await decide(id, longAgo, { ...sent, ...form });
        assert.deepEqual([status, location], [303, signInOf(id, query)]);
      }
      const asksFor = /The game <bdi>“Test Game”<\/bdi> asks you for <strong>51 quarters<\/strong>\./;
      assert.match((await ask(service, { url: signInOf(id), headers: { cookie: longAgo.cookie } })).body, asksFor);
      assert.match((await ask(service, { url: `/sign-in?return_to=/requests/${id}` })).body, asksFor);

      assert.equal(await statusOf(service, id), 'pending');
      assert.deepEqual(await db.query('SELECT FROM mandates WHERE user_id = $1', [ada.userId]), []);

      // The earlier page's form token does not work in another session, and in its own it still needs the confirmation.
      assert.equal((await decide(id, justNow, sent)).status, 401);
      assert.equal((await decide(id, longAgo, sent)).location, signInOf(id));
      assert.deepEqual(await transfersOf(service, id), []);

      assert.match((await open(id, justNow)).body, GIVEN);
      const { location } = await decide(id, justNow, { decision: 'approve' });
      const [txId] = await transfersOf(service, id);
      assert.equal(location, `${back}?txId=${txId}&requestId=${id}`);
      assert.doesNotMatch((await ask(service, { url: `/sign-in?return_to=/requests/${id}` })).body, asksFor);
      // Every open page of the request delivers the decision.
      assert.equal((await decide(id, longAgo, sent)).location, location);
    },
  );

  await t.test('declining a large payment needs no confirmation', async () => {
    const id = await requestOf(51);
    assert.equal((await decide(id, longAgo, { decision: 'decline' })).location, `${back}?cancel=true&requestId=${id}`);
    assert.equal(await statusOf(service, id), 'declined');
  });

  await t.test('an unregistered redirect address is refused before the confirmation', async () => {
    const id = await requestOf(51);
    const form = { decision: 'approve', redirect_uri: 'https://evil.example/' };
    const { status, location } = await decide(id, longAgo, form);
    assert.deepEqual([status, location], [400, undefined]);
  });

  await t.test('a guest needs no confirmation, even in a browser where a user is signed in', async () => {
    const payment = await fundedPayment(service, other, 100);
    const large = await newPayment(service, other, { guest: payment.guest, tokens: 51 });
    assert.doesNotMatch((await large.open()).body, NEEDED);
    assert.equal((await large.decide({ decision: 'approve' }, { cookie: longAgo.cookie })).status, 200);
    assert.equal(await statusOf(service, large.id), 'approved');
  });

  await t.test(
    'a payment above the limit is never approved without the page, whatever the mandate allows',
    async () => {
      const bob = await createPerson(service);
      await service.issue(bob.userId, 200);
      const approve = (requestId: Awaited<ReturnType<typeof requestOf>>) =>
        autoApprove(service.service, asUser(bob.userId, app.id), {
          requestId,
          clientId: app.id,
          userId: bob.userId,
          address: bob.address,
        });
      const page = await open(await requestOf(51, bob), bob);
      assert.match(page.body, /<strong>50 quarters at a time and 1,000 a day<\/strong>/);
      // A mandate from before the operator required confirmations.
      const limits = { maxPerTransfer: asQuarters(100), maxPerDay: asQuarters(1_000), days: 30 };
      await grantMandate(db, { userId: bob.userId, appId: app.id, ...limits });
      const large = await requestOf(51, bob);
      await assert.rejects(approve(large), {
        code: 'auto-approve-limit',
        message: 'Payments above 50 quarters must be approved by the user on the approval page.',
      });
      assert.equal(await statusOf(service, large), 'pending');
      await approve(await requestOf(50, bob));
      const { body } = await ask(service, { url: '/account/apps', headers: { cookie: bob.cookie } });
      assert.match(body, /<strong>50 quarters at a time and 1,000 a day<\/strong>/);

      // The page approves it, and auto-approval then returns the same payment.
      assert.equal((await decide(large, bob, { decision: 'approve', mandate: 'on' })).status, 303);
      const [txId] = await transfersOf(service, large);
      assert.equal((await approve(large)).txHash, txId);
      const [row] = await db.query('SELECT max_per_transfer FROM mandates WHERE user_id = $1', [bob.userId]);
      assert.deepEqual(row, { max_per_transfer: 50n });
    },
  );
});
