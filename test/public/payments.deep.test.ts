import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { until } from '../kit/unit/until.ts';
import { callApi, newGuest, useTarget } from './target.ts';

test('a payout is paid once for its key, and is found in lists, balances and events', async () => {
  const target = await useTarget();
  const { id: appId, address, serverKey: bearer } = target.game;
  const guest = await newGuest(target);
  const key = randomUUID();
  const body = { amount: 7, user: guest.id };
  const paid = await callApi(target, 'POST', `/v1/accounts/${address}/transfer`, { bearer, key, body });
  assert.equal(paid.status, 200);
  const again = await callApi(target, 'POST', `/v1/accounts/${address}/transfer`, { bearer, key, body });
  assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [paid.body, 'true']);
  const other = await callApi(target, 'POST', `/v1/accounts/${address}/transfer`, {
    bearer,
    key,
    body: { ...body, amount: 8 },
  });
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency-mismatch']);

  const { requestId } = paid.body;
  await until('it is completed', async () => {
    const { body: request } = await callApi(target, 'GET', `/v1/requests/${requestId}`, { bearer });
    assert.ok(['approved', 'submitted', 'completed'].includes(request.status), request.status);
    return request.status === 'completed';
  });
  const balance = await callApi(target, 'GET', `/v1/accounts/${guest.address}/balance`, { bearer: guest.token });
  assert.equal(balance.status, 200);
  assert.match(balance.text, /\b7\b/);
  const { body: list } = await callApi(target, 'GET', `/v1/transfers?requestId=${requestId}`, { bearer });
  assert.deepEqual([list.data.length, list.data[0].amount, list.data[0].status], [1, 7, 'completed']);
  const { body: transfer } = await callApi(target, 'GET', `/v1/transfers/${list.data[0].id}`, { bearer });
  assert.deepEqual(transfer, list.data[0]);
  const { body: requests } = await callApi(target, 'GET', '/v1/requests?limit=5', { bearer });
  assert.ok(
    requests.data.some((request: { id: string; appId: string }) => request.id === requestId && request.appId === appId),
  );
  await until('its event is listed', async () => {
    const { body: events } = await callApi(target, 'GET', '/v1/events?type=transfer.completed&limit=100', { bearer });
    return events.data.some(({ data }: { data: object }) => JSON.stringify(data).includes(requestId));
  });
});

test('many people are paid by one call, line by line', async () => {
  const target = await useTarget();
  const { address, serverKey: bearer } = target.game;
  const guest = await newGuest(target);
  const transfers = [
    { amount: 3, user: guest.id },
    { amount: 3, user: 'Z'.repeat(28) },
  ];
  const { status, body } = await callApi(target, 'POST', `/v1/accounts/${address}/transfers`, {
    ...{ bearer, key: randomUUID(), body: { transfers } },
  });
  assert.deepEqual(
    [status, body.length ?? body.results?.length ?? body.transfers?.length],
    [200, 2],
    JSON.stringify(body),
  );
});

test('a request is approved automatically, refunded, and another is cancelled', async () => {
  const target = await useTarget();
  const { id: clientId, address, serverKey: bearer } = target.game;
  const { id: userId, token, ...guest } = await newGuest(target);
  const funded = { amount: 50, user: userId };
  await callApi(target, 'POST', `/v1/accounts/${address}/transfer`, { bearer, key: randomUUID(), body: funded });
  await until('the guest has quarters', async () => {
    const { text } = await callApi(target, 'GET', `/v1/accounts/${guest.address}/balance`, { bearer: token });
    return /\b50\b/.test(text);
  });
  const ask = async (tokens: number) => {
    const asked = { tokens, appId: clientId, description: 'A shield' };
    const { status, body } = await callApi(target, 'POST', '/v1/requests', { bearer: token, body: asked });
    assert.deepEqual([status, body.tokens, body.userId], [201, tokens, userId]);
    return body.id as string;
  };
  // The player agrees to a spending limit with the first request.
  const page = `${target.origin}/requests/${await ask(1)}`;
  const form = await (await fetch(`${page}?firebase_token=${guest.pageToken}`)).text();
  const pageTokenField = /name="page_token" value="([^"]+)"/.exec(form)![1]!;
  const agreed = await fetch(`${page}/decision`, {
    ...{ method: 'POST', redirect: 'manual', headers: { origin: target.origin } },
    body: new URLSearchParams({ page_token: pageTokenField, decision: 'approve', mandate: 'on' }),
  });
  assert.ok(agreed.status < 400, await agreed.text());
  const id = await ask(20);
  const approved = await callApi(target, 'POST', `/v1/requests/${id}/autoApprove`, {
    ...{ bearer: token, key: randomUUID(), body: { clientId, userId, address: guest.address } },
    headers: { prefer: 'wait=30' },
  });
  assert.deepEqual([approved.status, approved.body.requestId], [200, id], approved.text);
  await until('it is completed', async () => {
    const { body } = await callApi(target, 'GET', `/v1/requests/${id}`, { bearer });
    return body.status === 'completed';
  });
  const refund = await callApi(target, 'POST', `/v1/requests/${id}/refunds`, {
    bearer,
    key: randomUUID(),
    body: { amount: 5 },
  });
  assert.equal(refund.status, 200, refund.text);
  const { body: refunded } = await callApi(target, 'GET', `/v1/requests/${id}`, { bearer });
  assert.equal(refunded.refunded, 5);

  const other = await ask(1);
  const cancelled = await callApi(target, 'POST', `/v1/requests/${other}/cancel`, { bearer });
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'cancelled']);
});

test('a guest’s page shows the form, and sends the player to the game with the result', async () => {
  const target = await useTarget();
  const { token, pageToken } = await newGuest(target);
  const asked = { tokens: 1_000, appId: target.game.id, description: 'A castle' };
  const { body } = await callApi(target, 'POST', '/v1/requests', { bearer: token, body: asked });
  const query = new URLSearchParams({ firebase_token: pageToken, redirect_uri: target.game.redirectUri });
  const page = await fetch(`${target.origin}/requests/${body.id}?${query}`);
  const text = await page.text();
  assert.equal(page.status, 200);
  assert.match(text, /A castle/);
  const form = new URLSearchParams({
    page_token: /name="page_token" value="([^"]+)"/.exec(text)![1]!,
    decision: 'decline',
  });
  for (const [, name, value] of text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g))
    form.set(name!, value!);
  const sent = await fetch(`${target.origin}/requests/${body.id}/decision`, {
    ...{ method: 'POST', body: form, redirect: 'manual', headers: { origin: target.origin } },
  });
  const result = new URL(sent.headers.get('location') ?? assert.fail(await sent.text()));
  assert.equal(result.origin + result.pathname, target.game.redirectUri);
  assert.ok([...result.searchParams].length > 0);
});
