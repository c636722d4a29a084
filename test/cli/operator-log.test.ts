import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { currentContext, withContext } from '../../src/base/log.ts';
import { openSecurityLog } from '../../src/base/security-log.ts';
import { runCli } from '../../src/cli/run.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { LogEntry } from '../../src/service/service.ts';
import { HOUSE } from '../kit/service/house.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

const JSON_LINE = /^\{/m;

test('running services log the security events of commands, and ignore any other text sent to them', async (t) => {
  const { databaseUrl, service } = await sharedService(t);
  const noted: LogEntry[] = [];
  const log = { info: (entry: LogEntry) => void noted.push(entry), warn() {}, error() {} };
  const command = openSecurityLog(log, { keeps: true });
  withContext({ actor: 'operator', command: 'apps verify' }, () => command.note('app-verified', { appId: 'a' }));
  const [note, ...more] = command.takeNotes();
  assert.deepEqual([more, command.takeNotes()], [[], []]);
  assert.deepEqual(noted, [], 'its own log has none of them');

  const heard = openSecurityLog(log);
  for (const text of ['', 'null', '{}', '{"event":"toString"}', '{"event":"app-verified"', note!]) heard.hear(text);
  assert.deepEqual(noted, [{ security: 'app-verified', actor: 'operator', command: 'apps verify', appId: 'a' }]);
  assert.equal(heard.counts.get('app-verified'), 1);
  assert.deepEqual(heard.takeNotes(), [], 'a service forwards no events');

  noted.length = 0;
  const forged = {
    security: '\u001b[2J',
    level: 60,
    msg: 'x',
    actor: 'a',
    client: 'c',
    what: 'w'.repeat(5000),
    appId: {},
  };
  for (const entry of [forged, 'text', [1], null]) heard.hear(JSON.stringify({ event: 'app-verified', entry }));
  const plain = { security: 'app-verified', actor: 'operator' };
  assert.deepEqual(
    noted,
    [{ ...plain, what: 'w'.repeat(256) }, plain, plain],
    'only the fields that commands may send',
  );

  // The shared service's loops listen.
  const other = openDatabase(databaseUrl);
  atEnd(t, () => other.close());
  const before = service.security.counts.get('suspension-accepted')!;
  await until('the service has logged it', async () => {
    await other.sendNotes([JSON.stringify({ event: 'suspension-accepted', entry: {} })]);
    return service.security.counts.get('suspension-accepted')! > before;
  });
});

test('a change by the operator is a security event with the command and without secrets', async (t) => {
  const shared = await sharedService(t);
  const noted: LogEntry[] = [];
  const note = (entry: LogEntry) => void noted.push(entry);
  const log = { info: note, warn: note, error: note };
  const service = { ...shared.service, log, security: openSecurityLog(log) };
  let started: unknown = 'not started';
  const run = async (...args: string[]) => {
    const [out, err] = [new PassThrough(), new PassThrough()];
    noted.length = 0;
    const code = await runCli(
      {
        house: () => HOUSE,
        connect: async () => ({ service, close: async () => {} }),
        start: async () => {
          started = currentContext();
        },
        migrate: async () => ({ applied: [] }),
        out,
        err,
      },
      args,
    );
    out.end();
    err.end();
    assert.deepEqual([code, JSON_LINE.test(await text(err))], [0, false]);
    return text(out);
  };
  const said = () => noted.map(({ security, command, what = '' }) => `${command}: ${security} ${what}`.trim());

  const owner = await createPerson(shared);
  const created = JSON.parse(await run('apps', 'create', '--name', 'Space Race', '--json'));
  assert.deepEqual<LogEntry[]>(noted, [
    {
      security: 'app-registered',
      actor: 'operator',
      osUser: userInfo().username,
      command: 'apps create',
      appId: created.id,
    },
  ]);
  const app = created.id as string;
  const issued = await run('apps', 'keys', 'issue', app, '--kind', 'client');
  assert.deepEqual(said(), ['apps keys issue: key-issued client']);
  assert.ok(!JSON.stringify(noted).includes(/qs_\w+/.exec(issued)![0]));
  const { keys } = JSON.parse(await run('apps', 'show', app, '--json'));
  assert.equal(noted.length, 0, 'showing an app is no security event');

  const endpoint = JSON.parse(await run('webhooks', 'add', app, 'https://game.example/hook', '--json'));
  assert.deepEqual(said(), [`webhooks add: webhook-changed add ${endpoint.id}`]);
  assert.ok(!JSON.stringify(noted).includes(endpoint.secret));
  for (const [args, expected] of [
    [['apps', 'keys', 'revoke', app, keys[0].id], `apps keys revoke: key-revoked ${keys[0].id}`],
    [['apps', 'update', app, '--name', 'Other Race'], 'apps update: app-changed details'],
    [['apps', 'update', app, '--owner', owner.email], 'apps update: app-changed owner'],
    [['apps', 'verify', app], 'apps verify: app-verified'],
    [['apps', 'unverify', app], 'apps unverify: app-unverified'],
    [['apps', 'auto-approval', 'enable', app], 'apps auto-approval enable: auto-approval-enabled'],
    [['apps', 'auto-approval', 'disable', app], 'apps auto-approval disable: auto-approval-disabled'],
    [['webhooks', 'enable', app, endpoint.id], `webhooks enable: webhook-changed change ${endpoint.id}`],
    [['webhooks', 'remove', app, endpoint.id], `webhooks remove: webhook-changed remove ${endpoint.id}`],
  ] as const) {
    await run(...args);
    assert.deepEqual(said(), [expected]);
    assert.deepEqual([noted[0]!.appId, noted[0]!.actor], [app, 'operator']);
    assert.ok(!JSON.stringify(noted).includes(owner.email));
  }

  for (const times of ['first', 'again']) {
    await run('issue', app, '100', '--key', 'season-7');
    assert.deepEqual(noted.length, times === 'first' ? 1 : 0, 'a repeated key issues nothing more');
    await run('rewards', 'grant', owner.userId, '5', '--key', 'tournament-1');
    assert.deepEqual(noted.length, times === 'first' ? 1 : 0);
    if (times === 'first') assert.deepEqual([noted[0]!.security, noted[0]!.userId], ['reward-granted', owner.userId]);
    assert.ok(!JSON.stringify(noted).includes('tournament'));
  }

  await run('start');
  assert.equal(started, undefined, 'the service runs outside the context of the operator who started it');
});
