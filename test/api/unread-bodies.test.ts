import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { tokenBuckets } from '../../src/base/token-buckets.ts';
import { createSite } from '../../src/process/site.ts';
import { failedRequests } from '../kit/service/failed-requests.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const LENGTH = 300_000;
const LOST_AFTER_MS = 20_000;
const JSON_BODY = `{"grant_type":"${'x'.repeat(LENGTH)}"}`;
const FORM_BODY = `grant_type=${'x'.repeat(LENGTH)}`;
const PART = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n';
const MULTIPART_BODY = `${PART}${'x'.repeat(LENGTH)}\r\n--x--\r\n`;

const declared = (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (body: string) => {
  const chunks = (body.match(/.{1,10000}/gs) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  return `Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
};

const CHUNKED_FORM = `Content-Type: application/x-www-form-urlencoded\r\n${chunked(FORM_BODY)}`;

/** Everything after the first line and Host: the other headers and a body that is too long for any route. */
const KINDS: readonly [name: string, rest: string][] = [
  ['JSON', `Content-Type: application/json\r\n${declared(JSON_BODY)}`],
  ['JSON in chunks', `Content-Type: application/json\r\n${chunked(JSON_BODY)}`],
  ['a form', `Content-Type: application/x-www-form-urlencoded\r\n${declared(FORM_BODY)}`],
  ['a form in chunks', CHUNKED_FORM],
  ['a form with parts', `Content-Type: multipart/form-data; boundary=x\r\n${declared(MULTIPART_BODY)}`],
  ['a form with parts in chunks', `Content-Type: multipart/form-data; boundary=x\r\n${chunked(MULTIPART_BODY)}`],
  ['no type', declared(FORM_BODY)],
  ['a body announced by Expect', `Expect: 100-continue\r\nContent-Type: application/json\r\n${declared(JSON_BODY)}`],
];

/** Routes that read or refuse a body in different ways. */
const PLACES = [
  'POST /oauth/token',
  'POST /v1/oauth/token',
  'POST /oauth/revoke',
  'POST /oauth/introspect',
  'POST /oauth/userinfo',
  'POST /oauth/logout/confirm',
  'GET /oauth/authorize',
  'POST /v1/requests',
  'PUT /v1/requests',
  'GET /v1/me',
  'POST /v1/new-guest',
  'POST /sign-in',
  'POST /sign-in/passkey',
  'POST /requests/1/decision',
  'POST /developer/apps/1/picture',
  'POST /nothing',
  'POST /v1/nothing',
  'POST /%zz',
  'POST /healthz',
];

type Outcome = 'answered' | 'closed, as announced';

/** Sends a request and, after its response, a second one on the same connection. Resolves to the outcome of the second. */
function sendTwo(port: number, first: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, 'localhost', () => socket.write(first));
    let received = '';
    let sentSecond = false;
    // Ends the wait: a request that is not answered by then never is.
    socket.setTimeout(LOST_AFTER_MS, () => {
      socket.destroy();
      reject(new Error(`the second request is never answered, after ${received.slice(0, 200)}`));
    });
    const isHead = first.startsWith('HEAD ');
    socket.on('data', (data) => {
      received = (received + data).replace('HTTP/1.1 100 Continue\r\n\r\n', '');
      if (sentSecond || !isWhole(received, isHead)) return;
      sentSecond = true;
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const [head = ''] = received.split('\r\n\r\n', 1);
      if (received.endsWith('{"status":"ok"}')) resolve('answered');
      else if (/\r\nconnection: close(\r\n|$)/i.test(head)) resolve('closed, as announced');
      else reject(new Error(`the connection is closed without a word, after ${received.slice(0, 200)}`));
    });
  });
}

function isWhole(answer: string, isHead: boolean): boolean {
  const [head = '', body] = answer.split(/\r\n\r\n(.*)/s, 2);
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  if (body === undefined) return false;
  if (isHead) return true;
  if (length) return Buffer.byteLength(body) >= Number(length[1]);
  return !/\r\ntransfer-encoding: chunked/i.test(head) || body.endsWith('0\r\n\r\n');
}

async function assertAllAnswered(origin: string, places: Iterable<string>, rest: string): Promise<void> {
  const port = Number(new URL(origin).port);
  const left = [...places];
  const faults: string[] = [];
  const sendAll = async () => {
    for (let place = left.shift(); place; place = left.shift()) {
      const first = `${place} HTTP/1.1\r\nHost: localhost:${port}\r\n${rest}`;
      await sendTwo(port, first).catch((error: Error) => faults.push(`${place}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: 10 }, sendAll));
  assert.deepEqual(faults, []);
}

test('after a body that is too long, the next request on the connection is still answered', async (t) => {
  const { origin, routes, service } = await sharedService(t);
  for (const [kind, rest] of KINDS) {
    await t.test(`after ${kind}, on routes that read or refuse bodies differently`, () =>
      assertAllAnswered(origin, PLACES, rest),
    );
  }

  await t.test('after a long body, the next request is answered on every route', async () => {
    const known = routes.map(({ method, url }) => {
      const methods = [method].flat();
      return `${methods.includes('POST') ? 'POST' : methods[0]} ${url.replaceAll(/:\w+|\*/g, '1')}`;
    });
    assert.ok(PLACES.filter((place) => known.includes(place)).length > 10, known.join(', '));
    await assertAllAnswered(origin, new Set(known), CHUNKED_FORM);
  });

  await t.test('a request for another protocol ends its connection, as the rest is never read', async () => {
    const host = `Host: localhost:${new URL(origin).port}\r\n`;
    const upgrade = `POST /v1/requests HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n`;
    for (const rest of ['\r\n', declared('short')]) {
      const together = `${upgrade}${rest}GET /v1/me HTTP/1.1\r\n${host}\r\n`;
      assert.equal(await sendTwo(Number(new URL(origin).port), together), 'closed, as announced');
    }
  });

  await t.test('a client that aborts its body causes no error of ours', async (st) => {
    const failures = failedRequests(st, service);
    const aborted = () => service.answers.entries().find((e) => e.area === 'oauth' && e.answer === 'aborted')!.count;
    const before = aborted();
    const socket = connect(Number(new URL(origin).port), 'localhost');
    socket.on('error', () => {});
    socket.write('POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n');
    socket.write('Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na=');
    await once(socket, 'data');
    socket.resetAndDestroy();
    await until('it is noted that the client has gone', async () => aborted() > before);
    assert.deepEqual(failures(), []);
  });

  await t.test('a long body over the rate limit leaves the next request answered', async () => {
    const usedUp = tokenBuckets({ perSecond: 1, processes: () => 1, seconds: () => 0 });
    const app = await createSite({ ...service, rateLimits: { credentials: null, addresses: usedUp } });
    atEnd(t, () => app.close());
    await app.listen({ port: 0, host: 'localhost' });
    const limited = `http://localhost:${(app.server.address() as AddressInfo).port}`;
    await fetch(`${limited}/v1/me`);
    assert.equal((await fetch(`${limited}/v1/me`)).status, 429);
    await assertAllAnswered(limited, PLACES, CHUNKED_FORM);
  });
});
