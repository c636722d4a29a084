import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { countAnswers } from '../../src/base/answer-counts.ts';
import { EXAMPLES } from '../../src/base/example-values.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { issueKey } from '../../src/features/keys/keys.ts';
import { ALL_KEY_SCOPES } from '../../src/identity/key-scopes.ts';
import { createApiSite } from '../../src/process/site.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import type { Service } from '../../src/service/service.ts';
import { call } from '../kit/service/call.ts';
import { HOUSE } from '../kit/service/house.ts';
import { newPayment } from '../kit/service/payment.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { addHook, removeHooks } from '../kit/service/webhooks.ts';
import { keyWith } from '../kit/unit/callers.ts';
import { type Description, describedBy, operationsOf, type Parameter, resolved } from '../kit/unit/description.ts';

/** The description of an installation with these settings. It needs no running part. */
async function describe(env: Record<string, string> = {}): Promise<Description> {
  const app = await createApiSite({
    house: HOUSE,
    settings: readSettings({ ACCESS_LOG: 'off', ...env }),
    publicUrl: 'https://coins.example',
    answers: countAnswers(),
    rateLimits: { credentials: null, addresses: null },
  } as Service);
  return (await app.inject('/openapi.json')).json();
}

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  assert.deepEqual(await validator.validate(await describe()), { valid: true });
  assert.equal(validator.version, '3.1');
});

test('the addresses in the description follow the settings', async () => {
  const one = await describe();
  assert.deepEqual(one.servers, [{ url: 'https://coins.example' }]);
  assert.equal('servers' in one.paths['/v1/new-guest']!.post!, false);
  const apart = await describe({ API_URL: 'https://api.coins.example', DEV_API_URL: 'https://dev.coins.example' });
  assert.deepEqual(apart.servers, [{ url: 'https://api.coins.example' }]);
  assert.deepEqual(apart.paths['/v1/new-guest']!.post!.servers, [{ url: 'https://dev.coins.example' }]);
  const { authorizationUrl, tokenUrl } = apart.components.securitySchemes.accessToken!.flows!.authorizationCode;
  assert.equal(authorizationUrl, 'https://coins.example/oauth/authorize');
  assert.equal(tokenUrl, 'https://api.coins.example/v1/oauth/token');
});

test('each example response matches its schema', async () => {
  const description = await describe();
  const judge = describedBy(description);
  let shown = 0;
  for (const { method, path, operation } of operationsOf(description)) {
    for (const [status, { headers = {}, content }] of Object.entries(operation.responses)) {
      for (const [type, { example, examples = {} }] of Object.entries(content)) {
        const values = [
          example,
          ...Object.values(examples).map((e) => resolved<{ value: unknown }>(description, e).value),
        ];
        for (const value of values.filter((v) => v !== undefined)) {
          const sent = Object.keys(headers).map((name) => [name.toLowerCase(), HEADER_VALUES[name]]);
          const fault = judge({
            method,
            url: path,
            status: Number(status),
            headers: { 'content-type': type, ...Object.fromEntries(sent) },
            body: JSON.stringify(value),
          });
          assert.equal(fault, null);
          shown++;
        }
      }
    }
  }
  assert.ok(shown > 100, `${shown}`);
});

test('the response validator reports what differs from the description', async () => {
  const judge = describedBy(await describe());
  const me = { id: EXAMPLES.userId, userId: EXAMPLES.userId, displayName: '', email: '', emailVerified: false };
  const answer = (change: object) => ({
    method: 'GET',
    url: '/v1/me',
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(me),
    ...change,
  });
  assert.equal(judge(answer({})), null);
  const json = { 'content-type': 'application/json' };
  for (const [change, said] of [
    [{ status: 201 }, /status 201 is not described/],
    [{ headers: { 'content-type': 'text/html' } }, /text\/html/],
    [{ body: JSON.stringify({ ...me, secret: 1 }) }, /additional/],
    [{ body: JSON.stringify({ ...me, emailVerified: 'no' }) }, /emailVerified must be boolean/],
    [{ body: JSON.stringify({ ...me, id: undefined }) }, /required property 'id'/],
    [{ headers: { ...json, location: '/v1/me' } }, /Location is not described/],
    [{ url: '/v1/you' }, /not described/],
    [{ method: 'DELETE' }, /method is not described/],
    [{ method: 'POST', url: '/v1/requests', status: 201 }, /required property/],
  ] as const) {
    assert.match(judge(answer(change)) ?? 'nothing', said);
  }
});

test('each example call gets the described response', async (t) => {
  const s = await sharedService(t);
  const game = await s.createApp({ autoApprove: true, redirectUris: ['https://game.example/'] });
  const secret = await issueKey(s.service, OPERATOR, game.id, keyWith(ALL_KEY_SCOPES));
  const guest = await s.createGuest(game);
  await s.issue(game.id, 1000);
  await s.issue(guest.userId, 1000);
  // The mandate that autoApprove needs, and a payment that can be refunded.
  const paid = await newPayment(s, game, { guest, tokens: 60 });
  await paid.decide({ decision: 'approve', mandate: 'on' });
  await s.settled();
  const [transfer] = await s.service.db.query<{ id: string }>('SELECT id FROM transfers WHERE request_id = $1', [
    paid.id,
  ]);

  const served = await fetch(`${s.origin}/openapi.json`);
  assert.equal(served.headers.get('access-control-allow-origin'), '*', 'tools on any origin may read it');
  const description = (await served.json()) as Description;
  assert.deepEqual(description.servers, [{ url: s.origin }]);
  for (const { method, path, operation } of operationsOf(description)) {
    await t.test(operation.operationId, async () => {
      const { id } = await newPayment(s, game, { guest });
      // The events of the payment above. Endpoints are removed, as there can be five at most.
      const [event] = await s.service.db.query<{ id: string }>(
        'SELECT id FROM events WHERE app_id = $1 ORDER BY id LIMIT 1',
        [game.id],
      );
      await removeHooks(s, game.id);
      const endpoint = await addHook(s, game.id, 'https://game.invalid/hook');
      const real: Record<keyof typeof EXAMPLES, string> = {
        ...EXAMPLES,
        appId: game.id,
        appAddress: game.address,
        userId: guest.userId,
        userAddress: guest.address,
        requestId: operation.operationId === 'refundRequest' ? paid.id : id,
        transferId: transfer!.id,
        eventId: event!.id,
        endpointId: endpoint.id,
      };
      const inPlace = (text: string) =>
        Object.entries(EXAMPLES).reduce((all, [name, shown]) => all.replaceAll(shown, real[name as 'appId']), text);
      const headers: Record<string, string> = {};
      const query = new URLSearchParams();
      let url = path;
      for (const parameter of operation.parameters ?? []) {
        const { name, in: place, example } = resolved<Parameter>(description, parameter);
        if (example === undefined) continue;
        if (place === 'path') url = url.replace(`{${name}}`, String(example));
        if (place === 'header') headers[name.toLowerCase()] = String(example);
        if (place === 'query') query.set(name, String(example));
      }
      const body = operation.requestBody?.content['application/json']?.example;
      const isUsers = operation.security.some((scheme) => 'guestToken' in scheme);
      const answer = await call(s.app, inPlace(`${method} ${url}${query.size > 0 ? `?${query}` : ''}`), {
        token: isUsers ? guest.accessToken : secret,
        headers,
        ...(body !== undefined && { text: inPlace(JSON.stringify(body)) }),
      });
      assert.equal(String(answer.statusCode), Object.keys(operation.responses)[0], answer.body);
    });
  }
});

/** Values that are valid wherever the header is described. */
const HEADER_VALUES: Readonly<Record<string, string>> = {
  Location: '/v1/requests/1',
  'Idempotent-Replayed': 'true',
  RateLimit: '"default";r=99;t=1',
  'RateLimit-Policy': '"default";q=100;w=1',
  'Preference-Applied': 'wait=10',
  'Retry-After': '1',
  'WWW-Authenticate': 'Bearer realm="quarters"',
};
