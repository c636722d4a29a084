import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callApi, newGuest, useTarget } from './target.ts';

test('refusals keep their status and code', async () => {
  const target = await useTarget();
  const { id: appId, address, serverKey: bearer } = target.game;
  const guest = await newGuest(target);
  const transfer = `/v1/accounts/${address}/transfer`;
  const refusals: [method: string, path: string, call: Parameters<typeof callApi>[3], status: number, code: string][] =
    [
      ['GET', '/v1/me', {}, 401, 'token-missing'],
      ['GET', '/v1/me', { bearer: 'nobody' }, 401, 'token-invalid'],
      ['GET', '/v1/nothing', { bearer }, 404, 'not-found'],
      ['PUT', '/v1/me', { bearer }, 405, 'method-not-allowed'],
      ['POST', '/v1/requests', { bearer: guest.token, body: { tokens: '1', appId } }, 400, 'invalid-input'],
      ['POST', '/v1/requests', { bearer: guest.token, body: '{' }, 400, 'malformed-json'],
      [
        'POST',
        '/v1/requests',
        { bearer: guest.token, body: 'a=1', headers: { 'content-type': 'text/plain' } },
        415,
        'unsupported-media-type',
      ],
      [
        'POST',
        transfer,
        { bearer, body: { amount: Number.MAX_SAFE_INTEGER, user: guest.id } },
        402,
        'insufficient-quarters',
      ],
      ['POST', transfer, { bearer: guest.token, body: { amount: 1, user: guest.id } }, 403, 'credential-not-allowed'],
      ['GET', '/v1/requests/00000000-0000-7000-8000-000000000000', { bearer }, 404, 'not-found'],
    ];
  const seen: unknown[] = [];
  for (const [method, path, call] of refusals) {
    const { status, body, headers } = await callApi(target, method, path, call);
    seen.push([method, path, status, body.code]);
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.ok(headers.get('request-id'), path);
  }
  assert.deepEqual(
    seen,
    refusals.map(([method, path, , status, code]) => [method, path, status, code]),
  );
});
