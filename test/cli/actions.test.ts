import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../src/cli/run.ts';
import { approveAction } from '../../src/features/operator-actions/approve-action.ts';
import { lookUpApp } from '../../src/identity/apps.ts';
import { lookUpAccountOfUser } from '../../src/ledger/accounts.ts';
import { HOUSE } from '../kit/service/house.ts';
import { createOperator } from '../kit/service/operator.ts';
import { createPerson } from '../kit/service/people.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test("operators' actions on the command line", async (t) => {
  const s = await sharedService(t, { env: { FOUR_EYES_ABOVE: '1000' } });
  const { db } = s.service;
  /** `typed`: at a terminal. */
  const command = async (args: readonly string[], typed?: string) => {
    const [out, err, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const terminal = typed === undefined ? {} : { in: Object.assign(input, { isTTY: true }) };
    input.end(typed);
    const connect = async () => ({ service: s.service, close: async () => {} });
    const nothing = { start: async () => {}, migrate: async () => ({ applied: [] }) };
    const code = await runCli({ house: () => HOUSE, ...nothing, ...terminal, connect, out, err }, args);
    out.end();
    err.end();
    return { code, out: await text(out), err: await text(err) };
  };
  const app = await s.createApp();

  await t.test('at a terminal a command shows what will happen, and does it after yes only', async () => {
    const issue = ['issue', app.id, '7', '--json'];
    const refused = await command(issue, 'n\n');
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(
      refused.err,
      /^Issue 7 quarters from the treasury to the app .*\nTo +0x[\s\S]*Issue these quarters\? \[y\/N\]/,
    );
    const done = await command(issue, 'y\n');
    assert.deepEqual([done.code, JSON.parse(done.out).quarters], [0, 7]);
  });

  await t.test(
    'a user is frozen and an app is suspended with a reason, and without a terminal only with --yes',
    async () => {
      const { userId } = await createPerson(s);
      const frozen = async () => (await lookUpAccountOfUser(db, userId))?.frozenAt !== null;
      const suspended = async () => (await lookUpApp(db, app.id))?.suspendedAt !== null;
      const because = ['--reason', 'Stolen key'];
      for (const [verb, undo, noun, id, state] of [
        ['freeze', 'unfreeze', 'users', userId, frozen],
        ['suspend', 'resume', 'apps', app.id, suspended],
      ] as const) {
        assert.equal((await command([noun, verb, id, '--yes'])).code, 2, 'without a reason');
        assert.equal((await command([noun, verb, id, ...because])).code, 2, 'without --yes');
        assert.equal(await state(), false);
        for (let twice = 0; twice < 2; twice++) {
          assert.deepEqual((await command([noun, verb, id, ...because, '--yes'])).err, '');
          assert.equal(await state(), true);
        }
        assert.equal((await command([noun, undo, id, ...because, '--yes'])).code, 0);
        assert.equal(await state(), false);
      }
    },
  );

  await t.test('above the limit a command ends with 6, and the same person cannot approve it', async () => {
    const asked = await command(['issue', app.id, '2000', '--key', 'cup', '--json']);
    assert.deepEqual([asked.code, asked.out], [6, '']);
    const [waiting] = JSON.parse((await command(['actions', 'list', '--state', 'waiting', '--json'])).out).actions;
    assert.match(asked.err, new RegExp(waiting.id));
    const approve = ['actions', 'approve', waiting.id, '--yes'];
    assert.equal((await command(approve)).code, 2, 'without the hash');
    const own = await command([...approve, '--hash', waiting.paramsHash]);
    assert.deepEqual([own.code, own.out], [1, '']);
    assert.match(own.err, /You asked for this yourself/);
    assert.match((await command(['actions', 'show', waiting.id])).out, /^State +waiting$/m);

    const { session } = await createOperator(s);
    await approveAction(s.service, { kind: 'person', session }, { id: waiting.id, hash: waiting.paramsHash });
    const again = await command(['issue', app.id, '2000', '--key', 'cup']);
    assert.match(again.out, /^Already issued +2,000 quarters\n/);
    const other = await command(['issue', app.id, '2001', '--key', 'cup']);
    assert.match(other.err, /^This key was used before, for another recipient or another amount\.$/m);
  });

  await t.test('an action that waits is withdrawn by whoever asked', async () => {
    await command(['rewards', 'grant', (await createPerson(s)).userId, '5000']);
    const [waiting] = JSON.parse((await command(['actions', 'list', '--state', 'waiting', '--json'])).out).actions;
    assert.equal((await command(['actions', 'refuse', waiting.id])).out, `Refused action ${waiting.id}.\n`);
    assert.equal((await command(['actions', 'refuse', waiting.id])).code, 0, 'again');
    assert.match(
      (await command(['actions', 'approve', waiting.id, '--yes', '--hash', waiting.paramsHash])).err,
      /refused/,
    );
  });
});
