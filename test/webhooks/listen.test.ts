import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyWebhook } from '../../sdk/src/index.ts';
import { newEventId } from '../../src/base/ids.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createRequest } from '../../src/features/requests/create-request.ts';
import { redeliverEvent } from '../../src/features/webhooks/events.ts';
import { OPERATOR } from '../../src/service/managers.ts';
import { transitionRequests } from '../../src/settlement/transition-requests.ts';
import type { AppEvent } from '../../src/webhooks/events.ts';
import { privateLookup, urlOfHost } from '../../src/webhooks/targets.ts';
import { forwardEvent } from '../../src/wings/rehearsal/features/follow-events.ts';
import { call } from '../kit/service/call.ts';
import { documentedVerify } from '../kit/service/documented-verify.ts';
import { startReceiver } from '../kit/service/receiver.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { findSnapshot } from '../kit/service/snapshot.ts';
import { cancelled } from '../kit/service/webhooks.ts';
import { asUser } from '../kit/unit/callers.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';
import { startListening } from './listening.ts';
import { LOCAL_CERTIFICATE } from './local-certificate.ts';

const SECRET = /whsec_[A-Za-z0-9+/]{43}=/;
const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/** Nothing is wrong. */
const HINT_ALONE = /^The secret stays the same: .* Ctrl-C ends\.\n$/;

test('listening to events on one’s own machine', async (t) => {
  const s = await sharedService(t);
  const newGame = async () => {
    const app = await s.createApp();
    const guest = await s.createGuest(app);
    const happen = () => cancelled(s, app, guest);
    const listed = async (count: number) => {
      const read = async () => (await call(s.app, 'GET /v1/events?limit=100', { token: app.serverKey })).json();
      await until('all are listed', async () => (await read()).data.length >= count);
      return (await read()).data as { id: string; data: { id: string } }[];
    };
    return { app, guest, happen, listed };
  };

  await t.test(
    'events arrive from now on, in order, as the API lists them, with a signature that verifies',
    async (t) => {
      const { app, happen, listed } = await newGame();
      await happen();
      await listed(1);
      const receiver = await startReceiver(t);
      const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url]);
      await listening.prints(/Ctrl-C ends/, 'err');
      const secret = SECRET.exec(listening.printed.out)![0];
      for (let i = 0; i < 3; i++) await happen();
      const events = (await listed(4)).slice(1);
      await until('all have arrived', () => receiver.received.length >= 3);
      const verify = await documentedVerify();
      for (const { headers, body } of receiver.received) {
        assert.ok(verify(headers, body, secret));
        await verifyWebhook({ headers, body, secret });
      }
      assert.deepEqual(
        receiver.received.map(({ id, event }) => ({ id, ...event })),
        events,
      );
      const { id } = events[2]!;
      await listening.prints(new RegExp(`^[-\\d]{10} [:\\d]{8}Z  request\\.cancelled +${id}  204  \\d+ ms$`, 'm'));
      assert.equal(await listening.stop(), 0);
      assert.match(listening.printed.err, HINT_ALONE);
    },
  );

  await t.test('an event that is committed after a later one is not missed', async (t) => {
    const { app, guest, happen } = await newGame();
    const receiver = await startReceiver(t);
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url]);
    await listening.prints(/Ctrl-C ends/, 'err');
    const { id: slow } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id });
    const [wrote, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = s.service.db.transaction(async (tx) => {
      await transitionRequests(tx, [slow], 'cancel', `app:${app.id}`);
      wrote.resolve();
      await commit.promise;
    });
    await wrote.promise;
    const quick = await happen();
    commit.resolve();
    await late;
    await until('both have arrived', () => receiver.received.length === 2);
    assert.deepEqual(
      receiver.received.map(({ event }) => event.data.id),
      [slow, quick],
    );
  });

  await t.test('a receiver that is down gets its events, in order, once it is back', async (t) => {
    const { app, happen } = await newGame();
    const receiver = await startReceiver(t);
    const answer = receiver.answer;
    receiver.answer = (response) => response.destroy();
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url, '--json']);
    await listening.prints(/"secret"/);
    await happen();
    await happen();
    await listening.prints(/Nothing answers at http:\/\/127\.0\.0\.1:\d+\/hook\./, 'err');
    receiver.answer = answer;
    await listening.prints(/\n.*\n.*\n/);
    const [start, first, second] = listening.printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(start.forward, receiver.url);
    assert.deepEqual([first.status, first.ok, first.attempts > 1], [204, true, true]);
    assert.deepEqual([second.status, second.ok, second.attempts], [204, true, 1]);
    assert.deepEqual([...new Set(receiver.received.map(({ id }) => id))], [first.id, second.id]);
    assert.equal(listening.printed.err.match(/Nothing answers/g)!.length, 1);
  });

  await t.test('a refused event is printed with the command that begins with it again', async (t) => {
    const { app, happen } = await newGame();
    const receiver = await startReceiver(t);
    receiver.answer = (response) => response.writeHead(500).end();
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url]);
    await listening.prints(/Ctrl-C ends/, 'err');
    await happen();
    await happen();
    await until('both have arrived', () => receiver.received.length === 2);
    await listening.prints(/ 500 {2}\d+ ms\n.* 500 {2}\d+ ms\n/);
    const { id } = receiver.received[0]!;
    await listening.prints(
      new RegExp(`npx quarters listen --app ${app.id} --forward ${receiver.url} --since ${id}`),
      'err',
    );
    await listening.stop();

    const received = async (...args: string[]) => {
      receiver.received.length = 0;
      receiver.answer = (response) => response.writeHead(204).end();
      const again = startListening(t, s, ['--app', app.id, '--forward', receiver.url, ...args]);
      await until('both have arrived again', () => receiver.received.length === 2);
      assert.equal(await again.stop(), 0);
      return receiver.received[0]!.id;
    };
    assert.equal(await received('--since', id), id);
    assert.equal(await received('--all'), id);
  });

  await t.test('an event that is delivered again arrives again, and others go on', async (t) => {
    const { app, happen, listed } = await newGame();
    const receiver = await startReceiver(t);
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url]);
    await listening.prints(/Ctrl-C ends/, 'err');
    await happen();
    const [event] = await listed(1);
    await until('it has arrived', () => receiver.received.length === 1);
    // A note reaches whoever listens by then.
    await until('it has arrived again', async () => {
      await redeliverEvent(s.service, { by: OPERATOR, appId: app.id }, event!.id, null);
      return receiver.received.length > 1;
    });
    const next = await happen();
    await until('the next one has arrived', () => receiver.received.some(({ event }) => event.data.id === next));
    const repeated = receiver.received.filter(({ event }) => event.data.id !== next);
    assert.ok(repeated.every(({ id, body }) => id === event!.id && body === receiver.received[0]!.body));
    assert.equal(await listening.stop(), 0);
    assert.match(listening.printed.err, HINT_ALONE);
  });

  await t.test('only events of the given types are forwarded', async (t) => {
    const { app, guest, happen } = await newGame();
    const receiver = await startReceiver(t);
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url, '--type', 'request.declined']);
    await listening.prints(/Ctrl-C ends/, 'err');
    await happen();
    const { id } = await createRequest(s.service, asUser(guest.userId, app.id), { tokens: 1, appId: app.id });
    await s.service.db.transaction((tx) => transitionRequests(tx, [id], 'decline', `user:${guest.userId}`));
    await until('it has arrived', () => receiver.received.length > 0);
    assert.deepEqual(
      receiver.received.map(({ event }) => event.type),
      ['request.declined'],
    );
  });

  await t.test('no event is lost while the database is away', async (t) => {
    const { app, happen } = await newGame();
    const receiver = await startReceiver(t);
    let db = openDatabase(s.databaseUrl);
    const connect = async () => {
      db = openDatabase(s.databaseUrl);
      return { service: { ...s.service, db }, close: () => db.close().catch(() => {}) };
    };
    await db.close();
    const listening = startListening(t, s, ['--app', app.id, '--forward', receiver.url], connect);
    await listening.prints(/Ctrl-C ends/, 'err');
    await db.close();
    const request = await happen();
    await listening.prints(/does not answer/, 'err');
    await until('it has arrived', () => receiver.received.length > 0);
    assert.equal(receiver.received[0]!.event.data.id, request);
    assert.match(listening.printed.err, /The service is back\./);
    assert.equal(await listening.stop(), 0);
  });

  await t.test('the secret of an app is always the same, and another app’s differs', async (t) => {
    const [one, other] = [await s.createApp(), await s.createApp()];
    const secretOf = async (app: string) => {
      const listening = startListening(t, s, ['--app', app, '--print-secret']);
      assert.equal(await listening.stop(), 0);
      assert.match(listening.printed.out, new RegExp(`^${SECRET.source}\\n$`));
      return listening.printed.out;
    };
    assert.equal(await secretOf(one.id), await secretOf(one.id));
    assert.notEqual(await secretOf(one.id), await secretOf(other.id));
  });

  await t.test('an address elsewhere, an unknown event and a missing option are refused', async (t) => {
    const { app } = await newGame();
    const elsewhere = [
      'game.example/hook',
      'https://game.example:3000',
      '10.0.0.1:80',
      'localhost.example',
      '0.0.0.0:3000',
    ];
    const refusals: [args: string[], code: number, because: RegExp][] = [
      ...elsewhere.map((forward): (typeof refusals)[number] => [
        ['--forward', forward],
        2,
        /https:\/\/ address of this machine, such as localhost:3000\/hook/,
      ]),
      ...[
        ['game:3000', 'other'],
        ['8.8.8.8:3000', '8.8.8.8'],
        ['169.254.169.254', '169.254.169.254'],
      ].map(([forward = '', host = '']): (typeof refusals)[number] => [
        ['--forward', forward, '--allow-host', host],
        2,
        /must have the host of '--allow-host', and that must be in a private network/,
      ]),
      [[], 2, /add '--forward <address>'/],
      [['--forward', 'localhost:1', '--since', newEventId(), '--all'], 2, /either '--since' or '--all'/],
      [['--forward', 'localhost:1', '--since', 'x'], 2, /Use an id such as 019a/],
      [['--forward', 'localhost:1', '--type', 'x'], 2, /Use one of request\.approved, /],
      [['--forward', 'localhost:1', '--since', newEventId()], 3, /no such event, or it is more than 30 days old\.$/m],
    ];
    for (const [args, code, because] of refusals) {
      const listening = startListening(t, s, ['--app', app.id, ...args]);
      await listening.prints(because, 'err');
      assert.equal(await listening.stop(), code, args.join(' '));
    }
  });

  await t.test('an address with https that has no certificate is told as such', async (t) => {
    const { app, happen } = await newGame();
    const receiver = await startReceiver(t);
    const url = receiver.url.replace('http:', 'https:');
    const listening = startListening(t, s, ['--app', app.id, '--forward', url]);
    await listening.prints(/Ctrl-C ends/, 'err');
    await happen();
    await listening.prints(/ no secure connection\n/);
    await listening.prints(/It speaks no TLS, or its certificate is not trusted[\s\S]*--forward https:/, 'err');
  });

  await t.test('an event reaches a named host of a private network, and never one outside', async (t) => {
    const receiver = await startReceiver(t);
    const url = receiver.url.replace('127.0.0.1', 'game');
    assert.equal(urlOfHost(url, 'game')?.href, url);
    const event = {
      id: newEventId(),
      type: 'request.completed',
      createdAt: new Date(),
      data: {},
    } as unknown as AppEvent;
    const sentTo = (...addresses: string[]) => {
      const lookup = privateLookup(async () => addresses);
      const given = new AbortController();
      const onUnreachable = () => given.abort();
      return forwardEvent(event, { url, lookup, secret: 'whsec_', signal: given.signal, onUnreachable });
    };
    assert.equal((await sentTo('127.0.0.1'))?.status, 204);
    for (const addresses of [['127.0.0.1', '8.8.8.8'], ['169.254.169.254'], ['::ffff:127.0.0.1'], []]) {
      assert.equal(await sentTo(...addresses), null, addresses.join());
    }
    assert.equal(receiver.received.length, 1);
  });

  await t.test(
    'Ctrl-C ends the process with 0, here while it waits for a server with a certificate of one’s own',
    async (t) => {
      const { app, happen } = await newGame();
      const receiver = await startReceiver(t, LOCAL_CERTIFICATE);
      const folder = await scratchFolder(t);
      const authority = join(folder, 'authority.pem');
      await writeFile(authority, LOCAL_CERTIFICATE.cert);
      const child = spawn(process.execPath, [MAIN, 'listen', '--app', app.id, '--forward', receiver.url], {
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          NODE_EXTRA_CA_CERTS: authority,
          QUARTERS_DATA_DIR: folder,
          DATABASE_URL: s.databaseUrl,
          CHAIN_RPC_URL: s.evm.url,
          MASTER_KEY: findSnapshot()!.masterKey,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      t.after(() => child.kill('SIGKILL'));
      let printed = '';
      child.stderr.on('data', (text) => {
        printed += text;
      });
      await until('it listens', () => /Ctrl-C ends/.test(printed) || child.exitCode !== null);
      // Its answer is still awaited when the signal comes.
      receiver.answer = () => {};
      await happen();
      await until('it has arrived', () => receiver.received.length > 0);
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      assert.deepEqual(await ended, [0, null]);
    },
  );
});
