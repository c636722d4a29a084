import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { untilArrived } from '../../src/cli/arrival.ts';
import { CliCommand, type CliContext } from '../../src/cli/command.ts';
import type { Service } from '../../src/service/service.ts';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { sharedService } from '../kit/service/shared-service.ts';

const away = async () => {
  throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' });
};

function openContext(close = async () => {}) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const service = { db: { query: away } } as unknown as Service;
  const context = { out, err, connect: async () => ({ service, close }) } as unknown as CliContext;
  return { context, service, out, err };
}

test('a wait for quarters that fails says that they are on their way, and throws nothing', async () => {
  const { context, service, err } = openContext();
  for (const hasArrived of [away, async () => false]) {
    await untilArrived(context, service, hasArrived, 'transfers list');
    assert.equal(
      `${err.read()}`,
      'The quarters are on their way, and may not all be spent yet: the database is away. See: npx quarters transfers list\n',
    );
  }
});

for (const ends of ['prints', 'changes'] as const) {
  test(`a command that ${ends} its result does not fail for what it waits for after that`, async () => {
    const { context, out, err } = openContext(away);
    const command = new CliCommand('deed', context)[ends](async () => ({ json: {}, text: 'Done.\n', after: away }));
    await command.parseAsync([], { from: 'user' });
    assert.equal(`${out.read()}`, 'Done.\n');
    err.end();
    const says = await text(err);
    assert.match(says, /^It is done, but may not hold yet: the database is away\n/);
    assert.match(says, /The connection was not closed: the database is away\n$/);
  });
}

test('a connection that cannot be closed does not hide why a command failed', async () => {
  const { context } = openContext(away);
  const failing = async () => assert.fail('refused');
  const command = new CliCommand('deed', context).prints(failing);
  await assert.rejects(command.parseAsync([], { from: 'user' }), /refused/);
});

/** The service as it is once the database is away: for each statement from the first one on that `isFirst` names. */
function losing(service: Service, isFirst: (statement: string) => boolean): Service {
  const { db } = service;
  let isLost = false;
  const query: typeof db.query = async (statement, values) => {
    isLost ||= isFirst(statement);
    return isLost ? away() : db.query(statement, values);
  };
  return { ...service, db: { ...db, query, lookUp: async (...given) => (isLost ? away() : db.lookUp(...given)) } };
}

test('what is done but cannot be read again is printed as it is recorded', async (t) => {
  const s = await sharedService(t);
  const { userId } = await createPerson(s);
  const service = losing(s.service, (statement) => /FROM rewards/.test(statement));
  const { code, out, err } = await runCommand(service, 'rewards', 'grant', userId, '7', '--json');
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).state, 'done');
  assert.match(err, /^It is done, but could not be read again: the database is away\n/);
});

test('an issue whose end cannot be recorded is not said to be undone, and says how to finish it', async (t) => {
  const s = await sharedService(t);
  const app = await s.createApp();
  const service = losing(s.service, (statement) => /operator_actions SET state = \$2, result/.test(statement));
  const { code, out, err } = await runCommand(service, 'issue', app.id, '7');
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^We could not confirm whether this was done: .*`quarters actions retry` to finish it\.\n$/);
});
