import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type AddressInfo, createServer, type LookupFunction } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openConnections } from '../../src/webhooks/connections.ts';
import { type SendOptions, send } from '../../src/webhooks/send.ts';
import { anyLookup, publicLookup } from '../../src/webhooks/targets.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

/** Far more than the busiest machine needs. Nothing else waits for so long, so {@link heldTimeout} knows it by this. */
const timeoutMs = 7 * 60_000 + 1;
/** Each has a connection of its own. */
const anywhere = (lookup: LookupFunction = anyLookup): SendOptions => ({
  connections: openConnections(lookup),
  privateTargets: true,
  timeoutMs,
});
/** In this test, a time limit is reached when the test says so. */
function heldTimeout(t: TestContext): () => void {
  const { setTimeout } = globalThis;
  let giveUp = () => {};
  const held = (callback: () => void, ms?: number) => {
    if (ms !== timeoutMs) return setTimeout(callback, ms);
    giveUp = callback;
    return setTimeout(() => {});
  };
  t.mock.method(globalThis, 'setTimeout', held as typeof setTimeout);
  return () => giveUp();
}
const message = (url: string) => ({ url, headers: { 'webhook-id': 'x' }, body: '{"data":{}}' });

test('the outcome of sending is a status or one word', async (t) => {
  const receiver = await startReceiver(t);
  const { url } = receiver;
  const sent = (way: Partial<SendOptions> = {}, to = url) => send(message(to), { ...anywhere(), ...way });

  await t.test('a message has arrived if the response is 2xx', async () => {
    for (const status of [200, 202, 204, 299, 301, 304, 400, 404, 410, 500, 599]) {
      receiver.answer = (response) => response.writeHead(status, { location: url }).end();
      const ok = status < 300;
      assert.deepEqual(await sent(), ok ? { ok, status } : { ok, status, fault: 'status' });
    }
    assert.equal(receiver.received.length, 11, 'no redirection was followed');
  });

  await t.test('the body of the response does not matter', async (t) => {
    receiver.answer = (response) => {
      response.writeHead(200);
      // An endless body.
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
    };
    assert.deepEqual(await sent(), { ok: true, status: 200 });
    receiver.answer = (response) => {
      response.writeHead(200).write('cut');
      setImmediate(() => response.destroy());
    };
    assert.deepEqual(await sent(), { ok: true, status: 200 });

    receiver.answer = (response) => response.writeHead(200).write('and then nothing');
    const giveUp = heldTimeout(t);
    let begun = false;
    // Services of other tests in this process get responses too.
    const note = (published: unknown) => {
      const { request } = published as { request: { origin: string } };
      begun ||= request.origin === new URL(url).origin;
    };
    subscribe('undici:request:headers', note);
    const cut = sent();
    await until('its first line has come', () => begun);
    unsubscribe('undici:request:headers', note);
    giveUp();
    assert.deepEqual(await cut, { ok: true, status: 200 });
  });

  await t.test('of a failure the first 500 printable characters are kept where that is asked for', async () => {
    const answered = async (
      status: number,
      body: string | Buffer,
      way: Partial<SendOptions> = { keepAnswer: true },
    ) => {
      receiver.answer = (response) => response.writeHead(status, { location: url }).end(body);
      const { answer } = (await sent(way)) as { answer?: string };
      return answer;
    };
    assert.equal(await answered(500, '{"error":\n  "no such order"}'), '{"error": "no such order"}');
    assert.equal(await answered(404, 'a\0b\x1b[31m\u202e'), 'a\ufffdb\ufffd[31m\ufffd');
    assert.equal(await answered(400, Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb');
    assert.equal(await answered(404, 'no “👨\u200d👩\u200d👧”'), 'no “👨\u200d👩\u200d👧”');
    assert.equal(await answered(500, '💥'.repeat(40_000)), '💥'.repeat(500));
    for (const status of [200, 301, 307]) assert.equal(await answered(status, 'text'), undefined, String(status));
    assert.equal(await answered(500, ''), undefined);
    assert.equal(await answered(500, 'text', {}), undefined);
  });

  await t.test('connections are kept, and one that the receiver closes meanwhile is no failure', async (t) => {
    const connections = openConnections(anyLookup);
    atEnd(t, connections.close);
    const ports = new Set<number | undefined>();
    receiver.answer = (response, { socket }) => {
      ports.add(socket.remotePort);
      response.writeHead(204).end();
    };
    for (let i = 0; i < 20; i++) assert.deepEqual(await sent({ connections }), { ok: true, status: 204 });
    assert.ok(ports.size < 20);
    receiver.answer = (response, { socket }) => {
      if (ports.has(socket.remotePort)) socket.destroy();
      else response.writeHead(204).end();
    };
    assert.deepEqual(await sent({ connections }), { ok: true, status: 204 });
  });

  await t.test('a response that is late counts as a timeout', async (t) => {
    receiver.answer = () => {};
    const giveUp = heldTimeout(t);
    const before = receiver.received.length;
    const cut = sent();
    await until('it has come', () => receiver.received.length > before);
    giveUp();
    assert.deepEqual(await cut, { ok: false, status: null, fault: 'timeout' });
  });

  await t.test('an unreachable host, or no secure connection, counts as not arrived', async () => {
    const unreachable = { ok: false, status: null, fault: 'unreachable' };
    receiver.answer = (_, request) => request.socket.destroy();
    assert.deepEqual(await sent(), unreachable);
    const closed = createServer().listen(0, '127.0.0.1');
    const { port } = await new Promise<AddressInfo>((resolve) =>
      closed.once('listening', () => resolve(closed.address() as AddressInfo)),
    );
    await new Promise((resolve) => closed.close(resolve));
    assert.deepEqual(await sent({}, `http://127.0.0.1:${port}/`), unreachable);
    assert.deepEqual(await sent({}, url.replace('http:', 'https:')), { ok: false, status: null, fault: 'tls' });
  });

  await t.test('a name that resolves to an internal address is not connected to, and looks unreachable', async (t) => {
    let connections = 0;
    const inside = createServer(() => connections++);
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    atEnd(t, () => inside.close());
    const { port } = inside.address() as AddressInfo;
    const way = (addresses: string[]): SendOptions => ({
      ...anywhere(publicLookup(async () => addresses)),
      privateTargets: false,
    });
    const unreachable = { ok: false, status: null, fault: 'unreachable' };
    const target = message(`https://game.example:${port}/`);
    for (const addresses of [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['1.1.1.1', '127.0.0.1'], []]) {
      assert.deepEqual(await send(target, way(addresses)), unreachable);
    }
    // Registered while it was allowed.
    for (const to of [`http://127.0.0.1:${port}/`, `https://127.0.0.1:${port}/`, `https://[::1]:${port}/`]) {
      assert.deepEqual(await send(message(to), way(['1.1.1.1'])), unreachable);
    }
    assert.equal(connections, 0);
    // Where it is allowed, the same code connects, to exactly the address that was looked up.
    const lookup = publicLookup(async () => ['127.0.0.1']);
    assert.equal((await send(target, anywhere(lookup))).ok, false);
    const giveUp = heldTimeout(t);
    const cut = send(
      target,
      anywhere((_name, options, callback) =>
        options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
      ),
    );
    await until('it connects', () => connections > 0);
    giveUp();
    await cut;
    assert.equal(connections, 1);
  });
});
