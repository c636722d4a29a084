import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '../../src/base/secrets.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { ask, fundedPayment, newPayment, sendForm, statusOf } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { ageGuestTokens } from '../rows/users.ts';

test('only the player can decide a payment', async (t) => {
  const service = await sharedService(t);
  const { db, vault } = service.service;
  const app = await service.createApp({
    redirectUris: ['https://game.example/'],
    frameAncestors: ['https://game.example'],
  });
  const other = await service.createApp();
  const payment = await fundedPayment(service, app);
  const form = { decision: 'approve' };
  const formTokenOf = (id: string, expiry: number, pageToken: string) => {
    const payload = `${expiry}.g${hashSecret(pageToken).toString('base64url')}`;
    return `${payload}.${vault.mac('approval page', `${id}.${payload}`).toString('base64url')}`;
  };

  await t.test('a forged, foreign, missing or garbled form token decides nothing', async () => {
    const token = await payment.formToken();
    const [expiry, hash, mac] = token.split('.');
    const foreign = await newPayment(service, app);
    const wrong = [
      '',
      '..',
      'x',
      `${Number(expiry) + 1}.${hash}.${mac}`,
      `${expiry}.${hash}.`,
      `${expiry}.g${hashSecret('x').toString('base64url')}.${mac}`,
      `${expiry}.s${payment.guest.userId}.${mac}`,
      `NaN.${hash}.${mac}`,
      payment.guest.pageToken,
      await foreign.formToken(),
      formTokenOf(payment.id, Date.now() + 60_000, foreign.guest.pageToken),
      formTokenOf(payment.id, Date.now() + 60_000, payment.guest.accessToken),
    ];
    for (const page_token of wrong) {
      const answer = await payment.decide({ ...form, page_token });
      assert.equal(answer.status, 404, page_token);
      assert.equal(answer.location, undefined);
    }
    assert.equal((await sendForm(service, payment.id, form)).status, 404);
    assert.equal(await statusOf(service, payment.id), 'pending');
  });

  await t.test('an expired form gets a page that the game may frame', async () => {
    const page_token = formTokenOf(payment.id, Date.now() - 1, payment.guest.pageToken);
    const answer = await payment.decide({ ...form, page_token });
    assert.equal(answer.status, 401);
    assert.match(answer.body, /This page has expired/);
    assert.match(answer.headers['content-security-policy']!, /frame-ancestors https:\/\/game\.example$/);
    assert.equal(await statusOf(service, payment.id), 'pending');
  });

  await t.test(
    'an expired form of a decided request shows the decision and redirects to registered addresses only',
    async () => {
      const approved = await fundedPayment(service, app);
      const page_token = formTokenOf(approved.id, Date.now() - 1, approved.guest.pageToken);
      const { location } = await approved.decide(form);
      assert.match(location!, /txId=/);
      for (const decision of ['approve', 'decline']) {
        assert.equal((await approved.decide({ decision, page_token })).location, location);
      }
      const redirect_uri = 'https://evil.example/';
      const answer = await approved.decide({ ...form, page_token, redirect_uri });
      assert.deepEqual([answer.status, answer.location], [400, undefined]);
      const forged = formTokenOf(approved.id, Date.now() - 1, 'x');
      assert.equal((await approved.decide({ ...form, page_token: forged })).status, 404);
    },
  );

  await t.test('an error page that did not read the request does not say that nothing was taken', async () => {
    const approved = await fundedPayment(service, app);
    const page_token = await approved.formToken();
    await approved.decide({ ...form, page_token });
    await ageGuestTokens(db, { userId: approved.guest.userId }, '400 days');
    const answers = [
      await approved.decide({ ...form, page_token }),
      await approved.decide({ ...form, page_token }, { origin: 'null' }),
      await approved.open(),
    ];
    await ageGuestTokens(db, { userId: approved.guest.userId }, '0 days');
    answers.push(
      await approved.decide({ decision: 'other', page_token }),
      await approved.open({ redirect_uri: 'https://evil.example/' }),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 403, 401, 400, 400],
    );
    for (const { body } of answers) {
      assert.doesNotMatch(body, /Nothing was taken/);
      assert.match(body, /see its status/);
    }
  });

  await t.test('a form from another site is refused, even with a valid token', async () => {
    const page_token = await payment.formToken();
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'null', 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: service.origin },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of foreign) {
      const answer = await payment.decide({ ...form, page_token }, headers);
      assert.deepEqual([answer.status, answer.location], [403, undefined], JSON.stringify(headers));
      assert.match(answer.headers['content-security-policy']!, /frame-ancestors https:\/\/game\.example$/);
    }
    const stranger = await payment.decide({ ...form, page_token: 'x' }, { origin: 'null' });
    assert.equal(stranger.status, 403);
    assert.match(stranger.headers['content-security-policy']!, /frame-ancestors 'none'$/);
    assert.equal(await statusOf(service, payment.id), 'pending');
  });

  await t.test('a form on a local network is accepted from the host that was asked', async () => {
    const lan = await fundedPayment(service, app);
    const page_token = await lan.formToken();
    const host = '192.168.1.5:8080';
    const wrong = ['http://192.168.1.6:8080', 'http://192.168.1.5', 'null', 'nonsense'];
    for (const origin of wrong) {
      assert.equal((await lan.decide({ ...form, page_token }, { host, origin })).status, 403, origin);
    }
    assert.equal(await statusOf(service, lan.id), 'pending');
    assert.equal((await lan.decide({ ...form, page_token }, { host, origin: `http://${host}` })).status, 303);
  });

  await t.test('other methods are refused with 405 and an Allow header', async () => {
    for (const [method, path, allow] of [
      ['POST', '', 'GET, HEAD'],
      ['DELETE', '', 'GET, HEAD'],
      ['PROPFIND', '', 'GET, HEAD'],
      ['DELETE', '/decision', 'POST'],
    ] as const) {
      const answer = await ask(service, { method: method as 'POST', url: `/requests/${payment.id}${path}` });
      assert.deepEqual([answer.status, answer.headers.allow], [405, allow], method);
      assert.match(answer.headers['content-type']!, /^text\/html/);
    }
  });

  await t.test('an unknown decision is refused with 400', async () => {
    for (const decision of ['', 'APPROVE', 'yes']) {
      const answer = await payment.decide({ decision });
      assert.equal(answer.status, 400);
      assert.match(answer.headers['content-type']!, /^text\/html/);
    }
    assert.equal(await statusOf(service, payment.id), 'pending');
  });

  await t.test('a body that is no form is refused with 415, and a large form with 413', async () => {
    const url = `/requests/${payment.id}/decision`;
    const json = await ask(service, { method: 'POST', url, payload: { decision: 'approve' } });
    const large = await sendForm(service, payment.id, { page_token: 'x'.repeat(20_000) });
    assert.deepEqual([json.status, large.status], [415, 413]);
    for (const { headers } of [json, large]) assert.match(headers['content-type']!, /^text\/html/);
    assert.equal((await ask(service, { url })).status, 404);
  });

  await t.test('an unknown and a foreign request get the same 404', async () => {
    const foreign = await newPayment(service, app);
    const elsewhere = await newPayment(service, other);
    const token = (pageToken: string) => `?firebase_token=${pageToken}`;
    const paths = [
      `/requests/${payment.id}?firebase_token=unknown&redirect_uri=https://evil.example`,
      `/requests/${payment.id}${token(foreign.guest.pageToken)}`,
      `/requests/${payment.id}${token(elsewhere.guest.pageToken)}`,
      `/requests/${payment.id}${token(payment.guest.accessToken)}`,
      `/requests/01900000-0000-7000-8000-000000000000${token(payment.guest.pageToken)}`,
      `/requests/nonsense${token(payment.guest.pageToken)}`,
      `/requests/%00${token(payment.guest.pageToken)}`,
      `/requests/${payment.id}0${token(payment.guest.pageToken)}`,
    ];
    const answers = await Promise.all(paths.map((url) => ask(service, { url })));
    for (const [i, { status, body, headers }] of answers.entries()) {
      assert.equal(status, 404, paths[i] ?? '');
      assert.equal(body, answers[0]!.body);
      assert.deepEqual({ ...headers, date: '' }, { ...answers[0]!.headers, date: '' });
    }
  });

  await t.test('a visitor without a token is sent to sign in, whether the request exists or not', async () => {
    const unknown = '01900000-0000-7000-8000-000000000000';
    for (const id of [payment.id, unknown]) {
      for (const query of ['', '?firebase_token', '?redirect_uri&firebase_token']) {
        const { status, location } = await ask(service, { url: `/requests/${id}${query}` });
        const back = new URLSearchParams({ return_to: `/requests/${id}${query}` });
        assert.deepEqual([status, location], [303, `/sign-in?${back}`]);
      }
    }
  });

  await t.test('a request id in capitals is the same id', async () => {
    const url = `/requests/${payment.id.toUpperCase()}?firebase_token=${payment.guest.pageToken}`;
    assert.equal((await ask(service, { url })).status, 200);
  });

  await t.test('an expired guest token gets its own page', async () => {
    const old = await newPayment(service, app);
    await ageGuestTokens(db, { userId: old.guest.userId }, '400 days');
    const answer = await old.open();
    assert.equal(answer.status, 401);
    assert.match(answer.body, /This page has expired/);
  });

  await t.test("an open page ends when the guest's tokens end", async () => {
    const page_token = await payment.formToken();
    await revokeGuestTokens(db, payment.guest.userId);
    assert.equal((await payment.decide({ ...form, page_token })).status, 404);
    // The guest may be a full user now, so sign-in helps. The dead token is not passed on.
    const { status, location } = await payment.open({ inline: 'true' });
    const back = new URLSearchParams({ return_to: `/requests/${payment.id}?inline=true` });
    assert.deepEqual([status, location], [303, `/sign-in?${back}`]);
    assert.equal(await statusOf(service, payment.id), 'pending');
  });
});
