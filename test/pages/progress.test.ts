import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { newRequestId, type RequestId } from '../../src/base/ids.ts';
import { issueProgressToken } from '../../src/features/approvals/page-access.ts';
import { closeHttp } from '../../src/http/listen.ts';
import { revokeGuestTokens } from '../../src/identity/guest-tokens.ts';
import { endSessionsOf } from '../../src/oauth/sessions.ts';
import { createSite } from '../../src/process/site.ts';
import { openProgressStreams } from '../../src/web/progress-streams.ts';
import { personPayment } from '../kit/browser/person-payment.ts';
import { askFor, move } from '../kit/service/history.ts';
import { ask, fundedPayment, newPayment, sendForm } from '../kit/service/payment.ts';
import { createPerson } from '../kit/service/people.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { type EventStream, openStream } from '../kit/unit/event-stream.ts';
import { until } from '../kit/unit/until.ts';
import { changeRequests } from '../rows/requests.ts';

/** The states in an event. */
async function nextOf(stream: EventStream): Promise<string | null> {
  const event = await stream.next();
  if (!event) return null;
  const { requests, final } = event.data as { requests: { status: string }[]; final: boolean };
  return requests.map(({ status }) => status).join(', ') + (final ? '.' : '');
}

const addressIn = (body: string) => / data-progress="([^"]+)"/.exec(body)?.[1];

test('live progress of payments', async (t) => {
  const service = await sharedService(t);
  const { db } = service.service;
  const game = await service.createApp();
  const person = await createPerson(service);
  const other = await createPerson(service);
  const cookie = { cookie: person.cookie };
  const tokenAddress = (id: RequestId) =>
    `${service.origin}/requests/${id}/progress?token=${issueProgressToken(service.service, id)}`;
  const approved = async () => {
    const { id } = await askFor(service, game, person, 1);
    await move(service, id, 'approve');
    return id;
  };

  const approvedByGuest = async () => {
    const { id } = await newPayment(service, game);
    await move(service, id, 'approve');
    return id;
  };

  await t.test('a stream sends each step once, in order, and ends after the last', async (t) => {
    const id = await approvedByGuest();
    const stream = await openStream(t, tokenAddress(id));
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers.get('cache-control'), 'no-store, no-transform');
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    assert.equal(stream.headers.get('content-encoding'), null);
    assert.deepEqual(await stream.next(), {
      event: 'message',
      id: undefined,
      data: { requests: [{ id, status: 'approved' }], final: false },
    });
    await move(service, id, 'submit');
    assert.equal(await nextOf(stream), 'submitted');
    await move(service, id, 'complete');
    assert.deepEqual(await stream.rest(), [
      { event: 'message', id: 'final', data: { requests: [{ id, status: 'completed' }], final: true } },
    ]);

    await t.test('a browser that reconnects after the last step gets 204', async (t) => {
      const again = await openStream(t, tokenAddress(id), { 'last-event-id': 'final' });
      assert.equal(again.status, 204);
    });
    await t.test('a stream opened late sends the last step', async (t) => {
      assert.deepEqual(await nextOf(await openStream(t, tokenAddress(id))), 'completed.');
    });
    await t.test('a stream is open again after the chain took the payment back', async (t) => {
      await move(service, id, 'reorg');
      const again = await openStream(t, tokenAddress(id), { 'last-event-id': 'final' });
      assert.deepEqual([again.status, await nextOf(again)], [200, 'submitted']);
    });
  });

  await t.test('a failed payment ends its stream', async (t) => {
    const id = await approved();
    const stream = await openStream(t, `${service.origin}/requests/${id}/progress`, cookie);
    assert.equal(await nextOf(stream), 'approved');
    await move(service, id, 'fail');
    assert.deepEqual([await nextOf(stream), await nextOf(stream)], ['failed.', null]);
  });

  await t.test('an account page has one stream, which also sends what the chain takes back', async (t) => {
    const [one, two] = [await approved(), await approved()];
    const stream = await openStream(t, `${service.origin}/account/progress?requests=${one},${two}`, cookie);
    assert.equal(await nextOf(stream), 'approved, approved');
    await move(service, one, 'complete');
    assert.equal(await nextOf(stream), 'completed, approved');
    await move(service, one, 'reorg');
    assert.equal(await nextOf(stream), 'submitted, approved');
    await changeRequests(db, { id: [one, two] }, { status: 'completed' });
    assert.deepEqual([await nextOf(stream), await nextOf(stream)], ['completed, completed.', null]);
  });

  await t.test('a client that does not accept streams gets the current state as JSON', async () => {
    const id = await approvedByGuest();
    const url = `/requests/${id}/progress?token=${issueProgressToken(service.service, id)}`;
    const { status, headers, body } = await ask(service, { url });
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'no-store, no-transform');
    assert.deepEqual(JSON.parse(body), { requests: [{ id, status: 'approved' }], final: false });
    const head = await ask(service, { method: 'HEAD', url, headers: { accept: 'text/event-stream' } });
    assert.deepEqual([head.status, head.headers['content-type']], [200, 'application/json; charset=utf-8']);
    assert.equal((await ask(service, { method: 'POST', url })).status, 405);
  });

  await t.test('progress without the right token or session is refused with 404', async (t) => {
    const id = await approved();
    const another = await approved();
    const payment = await newPayment(service, game);
    const longAgo = Date.now() - 31 * 60_000;
    t.mock.method(Date, 'now', () => longAgo);
    const expired = issueProgressToken(service.service, id);
    t.mock.restoreAll();
    const fresh = issueProgressToken(service.service, id);
    const foreign = { cookie: other.cookie };
    const refused: [string, Record<string, string>?][] = [
      [`/requests/${id}/progress`],
      [`/requests/${id}/progress`, foreign],
      [`/requests/${id}/progress`, { ...cookie, 'sec-fetch-dest': 'iframe' }],
      [`/requests/${id}/progress?token=${expired}`],
      [`/requests/${id}/progress?token=${fresh.replace(/^\d+/, (expiry) => String(Number(expiry) + 1))}`],
      [`/requests/${id}/progress?token=`],
      [`/requests/${another}/progress?token=${fresh}`],
      [`/requests/${payment.id}/progress?token=${await payment.formToken()}`],
      [`/requests/${payment.id}/progress?token=${payment.guest.pageToken}`],
      [`/requests/${newRequestId()}/progress`, cookie],
      [`/requests/no-id/progress`, cookie],
      ['/account/progress', cookie],
      [`/account/progress?requests=${id}`],
      [`/account/progress?requests=${id}`, foreign],
      [`/account/progress?requests=${id},${payment.id}`, cookie],
      [`/account/progress?requests=${id},${newRequestId()}`, cookie],
      [`/account/progress?requests=${id},`, cookie],
      [`/account/progress?requests=${Array.from({ length: 21 }, () => id).join(',')}`, cookie],
    ];
    for (const accept of ['text/event-stream', 'application/json']) {
      const bodies = new Set<string>();
      for (const [url, headers] of refused) {
        const answer = await ask(service, { url, headers: { accept, ...headers } });
        assert.equal(answer.status, 404, url);
        bodies.add(`${url.startsWith('/account')} ${answer.body}`);
      }
      assert.equal(bodies.size, 2);
    }
    const guests = tokenAddress(await approvedByGuest()).replace(service.origin, '');
    assert.equal((await ask(service, { url: guests })).status, 200);
  });

  await t.test('a stream ends before the next change when its reader may not see it any more', async (t) => {
    const signedOut = await createPerson(service);
    const theirs = await personPayment(service, game, signedOut);
    await move(service, theirs.id, 'approve');
    const guests = await newPayment(service, game);
    await move(service, guests.id, 'approve');
    const own = { cookie: signedOut.cookie };
    const streams = await Promise.all([
      openStream(t, `${service.origin}/requests/${theirs.id}/progress`, own),
      openStream(t, `${service.origin}/account/progress?requests=${theirs.id}`, own),
      openStream(t, tokenAddress(guests.id)),
    ]);
    for (const stream of streams) assert.equal(await nextOf(stream), 'approved');
    await endSessionsOf(db, signedOut.userId);
    await db.transaction((tx) => revokeGuestTokens(tx, guests.guest.userId));
    for (const { id } of [theirs, guests]) await move(service, id, 'submit');
    for (const stream of streams) assert.equal(await stream.next(), null);

    const late = await approvedByGuest();
    const open = await openStream(t, tokenAddress(late));
    assert.equal(await nextOf(open), 'approved');
    const later = Date.now() + 31 * 60_000;
    t.mock.method(Date, 'now', () => later);
    await move(service, late, 'submit');
    assert.equal(await open.next(), null, 'the token of the page has expired');
    t.mock.restoreAll();
  });

  await t.test('a user has at most six streams, and one that ends makes room', async (t) => {
    const id = await approved();
    const url = `${service.origin}/requests/${id}/progress`;
    const streams = await Promise.all(Array.from({ length: 6 }, () => openStream(t, url, cookie)));
    assert.deepEqual(new Set(streams.map(({ status }) => status)), new Set([200]));
    assert.equal((await openStream(t, url, cookie)).status, 429);
    // Polling still works, and other users can open streams.
    assert.equal((await ask(service, { url: `/requests/${id}/progress`, headers: cookie })).status, 200);
    assert.equal((await openStream(t, tokenAddress(await approvedByGuest()))).status, 200);
    streams[0]!.close();
    await until('there is room', async () => (await openStream(t, url, cookie)).status === 200);
  });

  await t.test('only a page that stays open follows the payment', async () => {
    const { decide, id, open } = await fundedPayment(service, game);
    const { body, headers } = await decide({ decision: 'approve' });
    const address = addressIn(body)!;
    assert.match(address, new RegExp(`^/requests/${id}/progress\\?token=\\d+\\.[\\w-]{43}$`));
    assert.ok(headers['content-security-policy']!.includes("connect-src 'self'"));
    assert.match(body, /<noscript><p class="hint">Reload this page/);
    assert.equal((await ask(service, { url: address })).status, 200);
    await service.settled();
    // The payment is final.
    const again = await open();
    assert.match(again.body, /<p class="progress" data-status="completed">Confirmed<\/p>/);
    assert.deepEqual(
      [addressIn(again.body), again.headers['content-security-policy']!.includes('connect-src')],
      [undefined, false],
    );

    for (const [form, more] of [
      [{}, { 'sec-fetch-dest': 'iframe' }],
      [{ opened_by: 'frame' }, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const payment = await fundedPayment(service, game);
      const answer = await payment.decide({ decision: 'approve', ...form }, more);
      assert.match(answer.body, /<h1>10 quarters paid<\/h1>/);
      assert.doesNotMatch(answer.body, /progress/);
    }
    // A full user's session is enough, so the address holds no token.
    await service.issue(person.userId, 10);
    const { id: own } = await personPayment(service, game, person);
    const page = await ask(service, { url: `/requests/${own}`, headers: cookie });
    const page_token = /name="page_token" value="([^"]+)"/.exec(page.body)![1]!;
    const approval = await sendForm(service, own, { page_token, decision: 'approve' }, cookie);
    assert.equal(addressIn(approval.body), `/requests/${own}/progress`);

    const declined = await (await newPayment(service, game)).decide({ decision: 'decline' });
    assert.doesNotMatch(declined.body, /progress/);
  });

  await t.test('a service that stops ends its streams at once', async (t) => {
    const id = await approved();
    const server = await createSite(service.service);
    await server.listen({ port: 0, host: 'localhost' });
    atEnd(t, () => server.close());
    const origin = `http://localhost:${(server.server.address() as AddressInfo).port}`;
    const streams = await Promise.all([1, 2, 3].map(() => openStream(t, `${origin}/requests/${id}/progress`, cookie)));
    for (const stream of streams) await stream.next();
    const cut = t.mock.method(server.server, 'closeAllConnections');
    await closeHttp(server);
    assert.equal(cut.mock.callCount(), 0, 'none had to be cut off');
    for (const stream of streams) assert.equal(await stream.next(), null);
  });

  await t.test('a process limits its streams', async (t) => {
    const id = await approved();
    await t.test("a stream above the process's limit is refused with 503", async (t) => {
      const url = await serve(t, service, id, { streams: 2 });
      const first = await openStream(t, `${url}/a`);
      assert.deepEqual([first.status, (await openStream(t, `${url}/b`)).status], [200, 200]);
      assert.equal((await openStream(t, `${url}/c`)).status, 503);
      first.close();
      await until('there is room', async () => (await openStream(t, `${url}/c`)).status === 200);
    });
    await t.test('a stream ends after its maximum life', async (t) => {
      const stream = await openStream(t, `${await serve(t, service, id, { lifeMs: 1 })}/a`);
      assert.deepEqual(
        (await stream.rest()).map(({ event }) => event),
        ['message', 'rest'],
      );
    });
    await t.test('without any change, a stream ends at the next heartbeat after its right has', async (t) => {
      for (const maySee of [async () => false, () => Promise.reject(new Error('The database is away'))]) {
        const url = await serve(t, service, id, { heartbeatMs: 1 }, maySee);
        assert.deepEqual(
          (await (await openStream(t, `${url}/a`)).rest()).map(({ event }) => event),
          ['message'],
        );
      }
    });
    await t.test('a reader that does not read is disconnected', async () => {
      const streams = openProgressStreams(service.service, { heartbeatMs: 1, unreadBytes: 500 });
      // A reader that takes the first piece and never the next.
      const raw = Object.assign(new Writable({ write() {} }), { writeHead() {} });
      const reply = { raw, headers() {}, hijack() {} } as unknown as FastifyReply;
      const request = { method: 'GET', headers: { accept: 'text/event-stream' } } as FastifyRequest;
      await streams.answer(request, reply, [id], { caller: 'somebody', maySee: async () => true });
      await until('it is let go', () => raw.destroyed);
      streams.close();
    });
  });
});

/** Streams with the test's own limits. The path names the caller that a stream counts against. */
async function serve(
  t: TestContext,
  { service }: TestService,
  id: RequestId,
  bounds: Parameters<typeof openProgressStreams>[1],
  maySee = async () => true,
): Promise<string> {
  const streams = openProgressStreams(service, bounds);
  const server = fastify();
  server.get('/:caller', (request, reply) =>
    streams.answer(request, reply, [id], { ...(request.params as { caller: string }), maySee }),
  );
  server.addHook('preClose', async () => streams.close());
  atEnd(t, () => server.close());
  return server.listen({ port: 0, host: '127.0.0.1' });
}
