import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signWebhook, VerificationError, verifyWebhook } from '../../sdk/src/index.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

/** As in the specification: HMAC-SHA256 over id, timestamp and body, with the secret's bytes. */
function signed(secret: string, body: string, at = Math.floor(Date.now() / 1000), id = 'evt_1') {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac}` };
}

const BODY = '{"type":"request.completed","data":{"id":"r"}}';

test('a genuine webhook is accepted with any type of headers', async () => {
  const secret = newSecret();
  const headers = signed(secret, BODY);
  for (const form of [headers, new Headers(headers), { 'Webhook-Id': 'evt_1', ...upper(headers) }]) {
    assert.deepEqual(await verifyWebhook({ body: BODY, headers: form, secret }), {
      id: 'evt_1',
      event: JSON.parse(BODY),
    });
  }
  await verifyWebhook({ body: Buffer.from(BODY), headers, secret });
});

test('the example of the specification is accepted', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const toleranceSeconds = Number.MAX_SAFE_INTEGER;
  const { id } = await verifyWebhook({ body: '{"test": 2432232314}', headers, secret, toleranceSeconds });
  assert.equal(id, 'msg_p5jXN8AQM9LWM0D4loKWxJek');
});

test('while a secret is replaced, either secret is accepted, on both sides', async () => {
  const [old, fresh] = [newSecret(), newSecret()];
  await verifyWebhook({ body: BODY, headers: signed(old, BODY), secret: [fresh, old] });
  const both = signed(old, BODY);
  both['webhook-signature'] += ` ${signed(fresh, BODY)['webhook-signature']}`;
  await verifyWebhook({ body: BODY, headers: both, secret: fresh });
});

test('a webhook that is not genuine is refused', async (t) => {
  // A time just too far ahead would be accepted a second later.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const secret = newSecret();
  const good = signed(secret, BODY);
  const now = Math.floor(Date.now() / 1000);
  const refused: Record<string, Parameters<typeof verifyWebhook>[0]> = {
    'another body': { body: BODY.replace('r', 's'), headers: good, secret },
    'another id': { body: BODY, headers: { ...good, 'webhook-id': 'evt_2' }, secret },
    'another time': { body: BODY, headers: { ...good, 'webhook-timestamp': String(now - 1) }, secret },
    'another secret': { body: BODY, headers: good, secret: newSecret() },
    'too old': { body: BODY, headers: signed(secret, BODY, now - 301), secret },
    'from the future': { body: BODY, headers: signed(secret, BODY, now + 301), secret },
    'no time at all': { body: BODY, headers: signed(secret, BODY, Number.NaN), secret },
    'no signature': { body: BODY, headers: { ...good, 'webhook-signature': '' }, secret },
    'another kind of signature': {
      body: BODY,
      headers: { ...good, 'webhook-signature': good['webhook-signature'].replace('v1,', 'v1a,') },
      secret,
    },
    'no base64': { body: BODY, headers: { ...good, 'webhook-signature': 'v1,***' }, secret },
    'no headers': { body: BODY, headers: {}, secret },
  };
  for (const [what, delivery] of Object.entries(refused)) {
    await assert.rejects(verifyWebhook(delivery), VerificationError, what);
  }
});

test('an event that is signed for a test is what the service sends', async () => {
  const secret = newSecret();
  const event = { type: 'request.completed', data: { id: 'r', tokens: 25 } } as const;
  const at = new Date(Date.now() - 200_000);
  const sent = await signWebhook({ secret, event, id: 'evt_1', at });
  const seconds = Math.floor(at.getTime() / 1000);
  assert.deepEqual(sent.headers, { 'content-type': 'application/json', ...signed(secret, sent.body, seconds) });
  assert.deepEqual(await verifyWebhook({ ...sent, secret }), {
    id: 'evt_1',
    event: { type: event.type, timestamp: at.toISOString(), data: { sequence: 1, id: 'r', tokens: 25 } },
  });
  const [one, other] = [await signWebhook({ secret, event }), await signWebhook({ secret, event })];
  assert.notEqual(one.headers['webhook-id'], other.headers['webhook-id']);
  const old = await signWebhook({ secret, event, at: new Date(Date.now() - 400_000) });
  await assert.rejects(verifyWebhook({ ...old, secret }), VerificationError);
});

function upper(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
}
