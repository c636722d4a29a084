import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { runCli } from '../../src/cli/run.ts';
import { readSettings } from '../../src/config/read-settings.ts';
import { ensureDemoOwner } from '../../src/features/sessions/sign-in-link.ts';
import { connect, findSubject } from '../../src/process/connect.ts';
import { writeRunning } from '../../src/process/data-folder.ts';
import { commandLevel, logOptions } from '../../src/process/logging.ts';
import type { Service } from '../../src/service/service.ts';
import { WINGS } from '../../src/wings.ts';
import { commandsOf } from '../kit/service/commands.ts';
import { HOUSE } from '../kit/service/house.ts';
import { createOperator } from '../kit/service/operator.ts';
import { createPerson } from '../kit/service/people.ts';
import { startTestService, type TestService } from '../kit/service/service.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { scratchFolder } from '../kit/unit/scratch.ts';
import { until } from '../kit/unit/until.ts';

type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** Runs command lines as a process beside the service does, with the log that it has where stderr is no terminal. */
async function openShell(t: TestContext, s: TestService) {
  const { databaseUrl, service, origin } = s;
  const { masterKey } = service.settings;
  const env = {
    QUARTERS_DATA_DIR: await scratchFolder(t),
    ...(masterKey && { MASTER_KEY: Buffer.from(masterKey).toString('hex') }),
  };
  const settings = readSettings(env);
  const running = { databaseUrl, rpcUrls: [s.evm.url], publicUrl: origin, development: true } as const;
  await writeRunning(settings.dataDir, running);
  let err = new PassThrough();
  const stderr = new Writable({ write: (chunk, _encoding, done) => void err.write(chunk, done) });
  const log = pino(logOptions({ logLevel: commandLevel(settings) }), stderr);
  // One connection serves all lines: what a line notes is handed over when it is closed.
  const { service: connected, close } = await connect(settings, log, HOUSE);
  atEnd(t, close);
  return async (...args: string[]): Promise<Ran> => {
    const out = new PassThrough();
    err = new PassThrough();
    const code = await runCli(
      {
        ...{ house: () => HOUSE, out, err, start: async () => {}, migrate: async () => ({ applied: [] }) },
        connect: async () => ({ service: connected, close: async () => {} }),
        findSubject: () => findSubject(env, WINGS),
      },
      args,
    );
    out.end();
    err.end();
    return { code, out: await text(out), err: await text(err) };
  };
}

type Shell = Awaited<ReturnType<typeof openShell>>;

/** Lines of JSON in what people read, apart from the error at the end of a command with `--json`. */
function logLinesIn(err: string): string[] {
  const lines = err.split('\n').filter((line) => line.startsWith('{'));
  return lines.filter((line, i) => i < lines.length - 1 || !('error' in JSON.parse(line)));
}

/** They print one JSON value on each line. */
const IN_LINES = ['log export'];

/** What they do is tried where they live: they run until they are stopped. */
const WITHOUT_END = ['start'];

/** The operands of each command, in an order in which each has what it needs. `refused`: it cannot be done here, and says so. */
async function lines(t: TestContext, s: TestService, run: Shell) {
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);
  const app = await s.createApp({ ownerId: await ensureDemoOwner(s.service) });
  const person = await createPerson(s);
  await createOperator(s);
  await s.issue(app.id, 1_000);
  await s.settled();
  const folder = await scratchFolder(t);
  const file = join(folder, 'pay.csv');
  await writeFile(file, `recipient,quarters\n${person.userId},5\n`);
  const [{ email }] = (await json('operators', 'list')).operators;
  const endpoint = (await json('webhooks', 'add', app.id, 'https://game.example/hook')).id;
  const { id: event } = await json('trigger', 'request.completed', '--app', app.id, '--sample');
  const { transferId } = await json('issue', app.id, '7');
  const { keys } = await json('apps', 'keys', 'list', app.id);
  const [action] = (await json('actions', 'list')).actions;
  const { block } = await json('liabilities', 'publish', '--yes');
  const why = ['--reason', 'A test', '--yes'];
  const month = ['--month', '2026-10'];
  const refused = true;
  const all: Record<string, { readonly args?: readonly string[]; readonly refused?: boolean }> = {
    migrate: {},
    'apps create': { args: ['--name', 'Walked'] },
    'apps list': {},
    'apps show': { args: [app.id] },
    'apps update': { args: [app.id, '--name', 'Walked on'] },
    'apps keys issue': { args: [app.id, '--kind', 'client'] },
    'apps keys list': { args: [app.id] },
    'apps keys revoke': { args: [app.id, keys[0].id] },
    'apps auto-approval enable': { args: [app.id] },
    'apps auto-approval disable': { args: [app.id] },
    'apps suspend': { args: [app.id, ...why] },
    'apps resume': { args: [app.id, ...why] },
    'apps verify': { args: [app.id] },
    'apps unverify': { args: [app.id] },
    issue: { args: [person.userId, '70'] },
    pay: { args: ['--file', file, '--yes'] },
    'rewards grant': { args: [person.userId, '5'] },
    'rewards list': { args: [person.userId] },
    'users find': { args: [person.userId] },
    'users show': { args: [person.userId] },
    'users freeze': { args: [person.userId, ...why] },
    'users unfreeze': { args: [person.userId, ...why] },
    'users stop-address': { args: [person.userId, person.address, ...why], refused },
    'users join-account': { args: [person.userId, person.address, ...why], refused },
    'transfers show': { args: [transferId] },
    'transfers list': {},
    'transfers cancel': { args: [transferId], refused },
    'webhooks list': { args: [app.id] },
    'webhooks add': { args: [app.id, 'https://game.example/other'] },
    'webhooks enable': { args: [app.id, endpoint] },
    'webhooks redeliver': { args: [app.id, event] },
    'webhooks remove': { args: [app.id, endpoint] },
    listen: { args: ['--app', app.id, '--print-secret'] },
    trigger: { args: ['guest.converted', '--app', app.id] },
    'reports list': {},
    'reports resolve': { args: [transferId], refused },
    'operators list': {},
    'operators add': { args: [email] },
    'operators remove': { args: [email] },
    'actions list': {},
    'actions show': { args: [action.id] },
    'actions approve': { args: [action.id, '--hash', action.hash ?? action.paramsHash, '--yes'], refused },
    'actions refuse': { args: [action.id], refused },
    'actions retry': { args: [action.id] },
    economy: {},
    'statements show': { args: [app.id, ...month] },
    'statements export': { args: month },
    'postings export': { args: month },
    'log list': {},
    'log show': { args: ['1'] },
    'log verify': {},
    'log head': {},
    'log key': {},
    'log export': {},
    'log prune': { args: ['--before', '2'] },
    audit: {},
    health: {},
    doctor: {},
    'archive status': {},
    'archive move': { args: ['--yes'] },
    'archive detach': { args: [...month, '--folder', folder, '--yes'], refused },
    'archive attach': { args: [...month, '--folder', folder], refused },
    'liabilities publish': { args: ['--yes'] },
    'liabilities list': {},
    'liabilities show': { args: [`${block}`] },
    'liabilities prove': { args: [app.address] },
    'custody status': {},
    'custody kit': {},
    'custody rotate-data': { args: ['--yes'] },
    'custody rotate-master': { args: ['--to', join(folder, 'next.key'), '--yes'] },
    'custody sweep': { args: ['--yes'], refused },
    'suspension show': {},
    'suspension accept': { args: ['--yes'], refused },
    restore: { args: ['--since', '2026-01-01', '--yes'] },
    'sign-in-link': {},
    'ids hash': { args: [app.id] },
    'apps delete': { args: [app.id, '--yes'] },
  };
  return all;
}

test('each command prints its result alone on stdout, and nothing of a log on stderr', async (t) => {
  const s = await startTestService(t, { development: true });
  const run = await openShell(t, s);
  const all = await lines(t, s, run);
  const declared = [...(await commandsOf(HOUSE)).keys()].filter((name) => !WITHOUT_END.includes(name));
  assert.deepEqual(Object.keys(all).sort(), declared.sort(), 'the list is complete');
  for (const [name, { args = [], refused = false }] of Object.entries(all)) {
    await t.test(name, async () => {
      const { code, out, err } = await run(...name.split(' '), ...args, '--json');
      assert.deepEqual(logLinesIn(err), []);
      if (refused) {
        assert.deepEqual([code > 0, out], [true, ''], err);
        assert.ok('error' in JSON.parse(err.trimEnd().split('\n').at(-1)!));
        return;
      }
      const values = IN_LINES.includes(name) ? out.split('\n').slice(0, -1) : [out];
      for (const value of values) assert.equal(typeof JSON.parse(value), 'object');
      // Doctor, health and the audit end with 1 if they find something, which is in their result.
      if (!['doctor', 'health'].includes(name)) assert.equal(code, 0, err);
    });
  }

  await t.test('a link to sign in is all of stdout, and when it ends is on stderr', async () => {
    const { out, err } = await run('sign-in-link');
    assert.match(out, /^http:\/\/localhost:\d+\/sign-in\/link\?token=\S+\n$/);
    assert.equal(err, 'It works once, within 12 hours.\n');
  });

  await t.test('what to do next is on stderr', async () => {
    const { out, err } = await run('apps', 'create', '--name', 'Hinted');
    assert.ok(out.endsWith('\n') && !/Save/.test(out));
    assert.match(err, /^\nSave the secret and the key now: they are shown only once\./);
  });
});

test('security events of a command are in the log of the services, and in its own if there is none', async (t) => {
  const s = await startTestService(t);
  const { databaseUrl, service } = s;
  const { masterKey } = service.settings;
  const settings = readSettings({
    ...{ DATABASE_URL: databaseUrl, CHAIN_RPC_URL: s.evm.url, QUARTERS_DATA_DIR: await scratchFolder(t) },
    ...(masterKey && { MASTER_KEY: Buffer.from(masterKey).toString('hex') }),
  });
  const noting = async (appId: string, before: (opened: Service) => unknown = () => {}) => {
    let said = '';
    const to = new Writable({
      write(chunk, _encoding, done) {
        said += chunk;
        done();
      },
    });
    const opened = await connect(settings, pino(logOptions({ logLevel: commandLevel(settings) }), to), HOUSE);
    opened.service.security.note('app-suspended', { appId });
    await before(opened.service);
    await opened.close();
    return said;
  };
  const before = service.security.counts.get('app-suspended')!;
  assert.equal(await noting('a'), '');
  const count = () => service.security.counts.get('app-suspended')!;
  await until('the service has it', () => count() > before);

  for (const failing of ['query', 'sendNotes'] as const) {
    await t.test(`an event that cannot be handed over (${failing}) is in the command's own log`, async () => {
      const fail = async () => assert.fail('the database is away');
      assert.match(await noting('b', ({ db }) => Object.assign(db, { [failing]: fail })), /"security":"app-suspended"/);
    });
  }

  await t.test('an event is handed over before the command ends', async () => {
    const had = count();
    const said = await noting('c', () => until('the service has it', () => count() > had));
    assert.deepEqual([said, count()], ['', had + 1]);
  });

  await s.stop();
  await until('no process is left', async () => (await noting('a')).includes('"security":"app-suspended"'));
});
