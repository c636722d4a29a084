import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newWebhookSecret, signedHeaders } from '../../src/webhooks/send.ts';
import { documentedVerify } from '../kit/service/documented-verify.ts';

test('signatures match the specification’s example', () => {
  // The test vector of the specification's own libraries.
  const headers = signedHeaders('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}', [
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ]);
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the documented check accepts genuine signatures and nothing else', async () => {
  const verify = await documentedVerify();
  const [secret, former] = [newWebhookSecret(), newWebhookSecret()];
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const body = '{"type":"request.completed","data":{"description":"Zauberstab für Jörg ✨"}}';
  const headers = signedHeaders('an id', new Date(), body, [secret, former]);
  assert.ok(verify(headers, body, secret) && verify(headers, Buffer.from(body), former));
  assert.ok(!verify(headers, body, newWebhookSecret()));
  assert.ok(!verify(headers, `${body} `, secret));
  for (const [name, value] of [
    ['webhook-id', 'another'],
    ['webhook-timestamp', String(Number(headers['webhook-timestamp']) + 1)],
    ['webhook-timestamp', 'now'],
    ['webhook-signature', ''],
    ['webhook-signature', `v1,${'ä'.repeat(44)}`],
  ] as const) {
    assert.ok(!verify({ ...headers, [name]: value }, body, secret), `${name}: ${value}`);
  }
  assert.ok(!verify({}, body, secret));
  const old = signedHeaders('an id', new Date(Date.now() - 301_000), body, [secret]);
  assert.ok(!verify(old, body, secret), 'what somebody kept is not taken later');
});
