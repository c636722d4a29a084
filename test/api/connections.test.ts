import assert from 'node:assert/strict';
import dns from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connectionOptions } from '../../src/http/connections.ts';
import { listen } from '../../src/http/listen.ts';
import { sendRaw } from '../kit/service/raw.ts';
import { until } from '../kit/unit/until.ts';
import { frame, never } from './bare-frame.ts';

test('a request that the parser refuses gets a problem', async (t) => {
  const { app } = await frame(t, never);
  await app.listen({ port: 0, host: 'localhost' });
  const { port } = app.server.address() as { port: number };
  for (const [text, status, code] of [
    [`GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    ['this is not HTTP\r\n\r\n', 400, 'invalid-input'],
  ] as const) {
    const answer = await sendRaw(port, text);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\n[^]*application/problem\\+json`));
    assert.equal(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).code, code);
  }
});

test('headers and the whole request have the same time limit, checked every second', async (t) => {
  const { app } = await frame(t, never);
  const { requestTimeout, headersTimeout } = app.server;
  assert.deepEqual([requestTimeout, headersTimeout], [30_000, 30_000]);
  assert.equal(connectionOptions('http://localhost').http.connectionsCheckingInterval, 1_000);
});

test('a request that does not arrive in time is refused with 408, unless it is answered already', async (t) => {
  const { app } = await frame(t, never);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
  app.post('/slow', async () => 'read');
  Object.assign(app.server, { headersTimeout: 1, requestTimeout: 1 });
  await app.listen({ port: 0, host: 'localhost' });
  const { port } = app.server.address() as { port: number };
  const begun = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n`;
  const [header, body, refused] = await Promise.all([
    sendRaw(port, `${begun('/slow')}X-La`),
    sendRaw(port, `${begun('/slow')}Content-Length: 9\r\n\r\nx`),
    sendRaw(port, `${begun('/healthz')}Content-Length: 9\r\n\r\nx`),
  ]);
  const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  // The client would take a second response for that of the next request.
  assert.deepEqual([header, body, refused].map(statuses), [['408'], ['408'], ['405']]);
});

test('a request that a hook refuses is answered at once, even before its body has arrived', async (t) => {
  const { app } = await frame(t, never);
  let sent: boolean | undefined;
  let handled = false;
  app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/refused') return;
    void reply.code(403).send('no');
    sent = reply.sent;
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
  app.post('/refused', async () => {
    handled = true;
    return 'done';
  });
  await app.listen({ port: 0, host: 'localhost' });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, 'localhost');
  t.after(() => socket.destroy());
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  socket.write('POST /refused HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nx');
  await until('it is refused', () => received.endsWith('no'));
  assert.equal(sent, true);
  socket.write('12345678GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the next is answered', () => received.endsWith('{"status":"ok"}'));
  assert.equal(handled, false);
});

test('MAX_CONNECTIONS limits connections on every address of localhost, and an ended one makes room', async (t) => {
  const { app } = await frame(t, never, undefined, { settings: { maxConnections: 2 } });
  // Not every test machine has IPv6, and only Linux has all of 127.0.0.0/8.
  const found = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  if (process.platform === 'linux') t.mock.method(dns, 'lookup', async () => found);
  await listen(app, { host: 'localhost', port: 0, setting: 'PORT' });
  const { port } = app.server.address() as { port: number };
  /** A connection that was answered, and so accepted; null: it was closed. */
  const taken = (host: string) =>
    new Promise<Socket | null>((resolve) => {
      const socket = connect(port, host, () => socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
      t.after(() => socket.destroy());
      socket.on('data', () => resolve(socket)).on('error', () => {});
      socket.on('close', () => resolve(null));
    });
  const addresses = [...new Set((await dns.lookup('localhost', { all: true })).map(({ address }) => address))];
  const at = (i: number) => addresses[i % addresses.length]!;
  const kept = [await taken(at(0)), await taken(at(1))];
  assert.ok(kept.every(Boolean));
  for (const address of addresses) assert.equal((await taken(address)) === null, true, address);
  kept[0]!.destroy();
  await until('a place is free', async () => (await taken(at(1))) !== null);
});

test('every https response has Strict-Transport-Security, including those that Node.js writes', async (t) => {
  for (const [publicUrl, expected] of [
    ['https://quarters.example', true],
    ['http://localhost', false],
  ] as const) {
    const { app } = await frame(t, never, undefined, { publicUrl });
    await listen(app, { host: 'localhost', port: 0, setting: 'PORT' });
    const { port } = app.server.address() as { port: number };
    for (const request of [
      'GET /healthz HTTP/1.1\r\nHost: x',
      'GET /v1/me HTTP/1.1\r\nHost: x',
      'OPTIONS /v1/me HTTP/1.1\r\nHost: x\r\nOrigin: https://game.example',
      'GET /nothing HTTP/1.1\r\nHost: x\r\nAccept: text/html',
      'GET /%zz HTTP/1.1\r\nHost: x',
      'GET /healthz HTTP/1.1',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: cookies',
      'this is not HTTP',
    ]) {
      const answer = await sendRaw(port, `${request}\r\nConnection: close\r\n\r\n`);
      const said = /\r\nstrict-transport-security: max-age=31536000\r\n/i.test(answer);
      assert.equal(said, expected, `${request}: ${answer}`);
    }
  }
});
