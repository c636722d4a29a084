import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTransferId } from '../../src/base/ids.ts';
import { newPlayer, startGame } from '../kit/service/player.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { insertTransferRows } from '../rows/transfers.ts';

test('transfers list', async (t) => {
  const { s, game } = await startGame(t);
  const { user, spend } = await newPlayer(s, game, 30);
  const list = async (...args: string[]) => {
    const { code, out, err } = await runCommand(s.service, 'transfers', 'list', ...args, '--json');
    assert.deepEqual([code, err], [0, '']);
    return JSON.parse(out) as { transfers: { id: string; quarters: number; status: string }[]; next: string | null };
  };
  for (const amount of [1, 2, 3]) await spend(amount);
  await s.settled();

  await t.test('pages of an app, of a user and of everybody are in order, without gaps and repetitions', async () => {
    for (const whose of [
      ['--app', game.id],
      ['--user', user.userId],
      ['--app', game.id, '--user', user.userId],
    ]) {
      const amounts: number[] = [];
      let after: string[] = [];
      for (;;) {
        const { transfers, next } = await list(...whose, '--limit', '1', ...after);
        amounts.push(...transfers.map(({ quarters }) => quarters));
        if (next === null) break;
        after = ['--after', next];
      }
      assert.deepEqual(amounts, [3, 2, 1], whose.join(' '));
    }
    const everybody = await list('--limit', '3');
    const { transfers, next } = await list('--after', everybody.next!);
    const amounts = [...everybody.transfers, ...transfers].map(({ quarters }) => quarters);
    assert.deepEqual([amounts, next], [[3, 2, 1, 30], null]);
  });

  await t.test('those on their way for long are found by status and age', async () => {
    const [from, to] = [user.address.toLowerCase(), game.address.toLowerCase()];
    const id = newTransferId();
    await insertTransferRows(s.service.db, [{ id, fromAddress: from, toAddress: to, amount: 77 }]);
    const stuck = ['--status', 'approved', '--status', 'submitted'];
    assert.deepEqual(
      (await list(...stuck)).transfers.map(({ quarters }) => quarters),
      [77],
    );
    assert.deepEqual(await list(...stuck, '--older-than', '10m'), { transfers: [], next: null });
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 660_000 });
    const [old] = (await list(...stuck, '--older-than', '10m')).transfers;
    assert.equal(old?.id, id);
  });

  await t.test('wrong values are refused', async () => {
    for (const args of [
      ['--limit', '1001'],
      ['--older-than', '10'],
      ['--status', 'lost'],
      ['--after', 'x'],
    ]) {
      assert.equal((await runCommand(s.service, 'transfers', 'list', ...args)).code, 2, args.join(' '));
    }
  });
});
