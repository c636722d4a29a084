import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Settings } from '../../src/config/settings.ts';
import { localMasterKey } from '../../src/custody/master-key.ts';
import { openVault } from '../../src/custody/vault.ts';
import { createSite } from '../../src/process/site.ts';
import { MARK_HEADER, makeMark, openMarkCheck } from '../../src/wings/doctor/diagnostics/marks.ts';
import { examined, findingsOf, saysOf, settingsOf } from '../kit/service/examined.ts';
import type { TestService } from '../kit/service/service.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';

type Proxying = {
  /** Changes the headers of what is passed on. */
  readonly change?: (headers: IncomingMessage['headers'], caller: string) => void;
  /** Keeps the answer back until it is complete. */
  readonly holdsBack?: true;
  /** Sends paths elsewhere. */
  readonly status?: number;
};

/** A proxy as an operator may have configured it. Returns its origin. */
async function startProxy(t: Ending, target: string, { change, holdsBack, status }: Proxying): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    if (status !== undefined) return void outgoing.writeHead(status).end();
    const headers = { ...incoming.headers };
    change?.(headers, incoming.socket.remoteAddress!);
    const onward = request(new URL(incoming.url!, target), { method: incoming.method!, headers }, (answer) => {
      passBack(answer, outgoing, holdsBack ?? false);
    });
    incoming.pipe(onward.on('error', () => outgoing.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function passBack(answer: IncomingMessage, outgoing: ServerResponse, holdsBack: boolean): void {
  outgoing.writeHead(answer.statusCode!, answer.headers);
  if (!holdsBack) return void answer.pipe(outgoing);
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => outgoing.end(Buffer.concat(chunks)));
}

/** Each proxy adds the address of its caller, as nginx and HAProxy do. */
const adds: Proxying['change'] = (headers, caller) => {
  headers['x-forwarded-for'] = [headers['x-forwarded-for'] ?? [], caller].flat().join(', ');
};

/** Another server of the service that trusts so many proxies. */
async function trusting(
  t: Ending,
  { service }: TestService,
  trustProxy: number,
  others: Partial<Settings> = {},
): Promise<string> {
  const app = await createSite({ ...service, settings: { ...service.settings, trustProxy, ...others } });
  atEnd(t, () => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

test('what proxies do to a request is found, and how to set TRUST_PROXY', async (t) => {
  const s = await sharedService(t);
  const [none, one, two] = [await trusting(t, s, 0), await trusting(t, s, 1), await trusting(t, s, 2)];
  const foundAt = async (target: string, proxying: Proxying) => {
    const url = await startProxy(t, target, proxying);
    return saysOf(await examined(t, { ...settingsOf(s), PUBLIC_URL: url }), 'Public address');
  };
  assert.match(await foundAt(one, { change: adds }), /^good: It leads here, through one proxy\. $/);
  const far = await startProxy(t, two, { change: adds });
  assert.match(await foundAt(far, { change: adds }), /^good: It leads here, through 2 proxies/);
  const cases: [target: string, proxying: Proxying, says: RegExp][] = [
    [
      none,
      { change: adds },
      /^bad: TRUST_PROXY is 0, but one proxy adds an address: all players share one\. Set TRUST_PROXY to 1\.$/,
    ],
    [
      two,
      { change: adds },
      /^bad: TRUST_PROXY is 2, but one proxy adds an address: callers choose theirs\. Set TRUST_PROXY to 1\.$/,
    ],
    [none, { change: (headers) => delete headers['x-forwarded-for'] }, /^bad: A proxy removes X-Forwarded-For/],
    [
      one,
      {
        change: (headers, caller) => {
          adds(headers, caller);
          headers.host = 'inner:8080';
        },
      },
      /^warning: The proxy changes Host/,
    ],
    [one, { change: adds, holdsBack: true }, /^warning: The proxy holds streams back/],
    [
      one,
      {
        change: (headers) => {
          headers['x-forwarded-for'] = '203.0.113.9';
          delete headers[MARK_HEADER];
        },
      },
      /^bad: The service at \S+ has another database/,
    ],
    [one, { status: 502 }, /^bad: What answers at \S+ is not the service: HTTP 502/],
  ];
  const open = await trusting(t, s, 1, { metrics: 'public' });
  cases.push([open, { change: adds }, /^bad: Everyone can read \S+\/metrics\./]);
  for (const [target, proxying, says] of cases) assert.match(await foundAt(target, proxying), says);
});

test('a container whose public address leads to itself and not to its proxy is no fault', async (t) => {
  const s = await sharedService(t);
  const env = { ...settingsOf(s), PUBLIC_URL: await trusting(t, s, 1), TRUST_PROXY: '1' };
  const found = findingsOf(await examined(t, env), 'Public address');
  assert.deepEqual(
    found.map(({ state, says }) => [state, says]),
    [['unknown', 'Doctor reached the service without its proxy.']],
  );
});

test('an address where nothing answers is unknown, and no fault by itself', async (t) => {
  const findings = await examined(t, { PUBLIC_URL: 'http://127.0.0.1:1' });
  assert.equal(findingsOf(findings, 'Public address')[0]?.state, 'unknown');
});

test('only a fresh mark of this installation opens /doctor, and only once', async (t) => {
  const s = await sharedService(t);
  const { vault } = s.service;
  const ask = (mark?: string) =>
    s.app.inject({ url: '/doctor', ...(mark !== undefined && { headers: { [MARK_HEADER]: mark } }) });
  const mark = makeMark(vault);
  const answered = await ask(mark);
  assert.equal(answered.statusCode, 200);
  assert.equal(answered.headers['cache-control'], 'no-store, no-transform');
  const stranger = await s.app.inject({ url: '/nothing' });
  const foreign = await openVault(s.service.db, localMasterKey(s.service.settings.masterKey!));
  const isGenuine = openMarkCheck(vault);
  assert.equal(isGenuine(makeMark(foreign)), true, 'a command opens the vault itself');
  for (const refused of [
    undefined,
    '',
    'x',
    mark,
    `${mark}x`,
    `1${mark.slice(1)}`,
    mark.replace(/[^.]+$/, 'A'.repeat(43)),
  ]) {
    const { statusCode, body } = await ask(refused);
    assert.deepEqual([statusCode, body.replace(/nothing/, '')], [404, stranger.body.replace(/nothing/, '')]);
  }
  const late = makeMark(vault);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 });
  assert.equal(isGenuine(late), false);
});
