import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Service } from '../../src/service/service.ts';
import { call } from '../kit/service/call.ts';
import { newPlayer, sharedGame } from '../kit/service/player.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { startCuttingProxy } from '../kit/unit/cutting-proxy.ts';

/** Runs `quarters rewards …` on this service. */
const command = (service: Service, ...args: string[]) => runCommand(service, 'rewards', ...args);

/** A user id that nobody has. */
const NOBODY = 'x'.repeat(28);

test('rewards on the command line', async (t) => {
  const { s, game } = await sharedGame(t);
  const { user, spend } = await newPlayer(s, game, 5);
  const other = await newPlayer(s, game, 0);
  const run = (...args: string[]) => command(s.service, ...args);
  const address = toChecksum(user.address);

  await t.test('a user without rewards has an empty list', async () => {
    assert.deepEqual(await run('list', user.userId), {
      code: 0,
      out: 'This user has no rewards yet.\n',
      err: '',
    });
  });

  await t.test('a reward is granted by user id or address, and once per key', async () => {
    const first = await run('grant', user.userId, '1200');
    assert.equal(first.code, 0);
    assert.match(first.out, new RegExp(`^Granted +1,200 quarters\\nTo +${user.userId}\\nReward +[0-9a-f-]{36}\\n`));
    const json = async () => JSON.parse((await run('grant', address, '34', '--key', 'prize', '--json')).out);
    const granted = await json();
    const { id, grantedAt } = granted;
    const facts = { userId: user.userId, quarters: 34, left: 34, source: 'operator', key: 'prize', appId: null };
    assert.deepEqual(granted, { id, grantedAt, ...facts });
    assert.deepEqual(await json(), granted);
    const again = await run('grant', address, '34', '--key', 'prize');
    assert.match(again.out, /^Already granted +34 quarters\n/);
  });

  await t.test('a grant whose COMMIT reply is lost fails and says how to check it', async (t) => {
    const proxy = await startCuttingProxy(s.databaseUrl);
    const db = openDatabase(proxy.url);
    atEnd(t, () => proxy.close());
    atEnd(t, () => db.close());
    const cut = async (...args: string[]) => {
      await db.query('SELECT 1');
      proxy.cutNextCommit();
      return command({ ...s.service, db }, 'grant', other.user.userId, '7', ...args);
    };
    const unknown = await cut();
    assert.deepEqual([unknown.code, unknown.out], [1, '']);
    const check = `quarters rewards list ${other.user.userId}`;
    assert.match(
      unknown.err,
      new RegExp(`^We could not confirm whether this was done: .*\`${check}\` does not show it\\.\\n$`),
    );
    assert.match((await run('list', other.user.userId)).out, /\n7 quarters to spend\n$/);

    assert.match((await cut('--key', 'again')).err, /Run it again soon, with the same --key/);
    assert.match((await run('grant', other.user.userId, '7', '--key', 'again')).out, /^Already granted/);
  });

  await t.test('rewards are listed with what is left of each', async () => {
    assert.equal((await spend(1210)).status, 303);
    const listed = await run('list', address);
    assert.deepEqual([listed.code, listed.err], [0, '']);
    const [header, first, second, , total] = listed.out.split('\n');
    assert.match(header!, /^GRANTED +QUARTERS +LEFT +SOURCE +APP +REWARD$/);
    assert.match(first!, /Z +1,200 +0 +operator +- +[0-9a-f-]{36}$/);
    assert.match(second!, /Z +34 +24 +operator +- +[0-9a-f-]{36}$/);
    assert.equal(total, '24 quarters to spend');
    const json = JSON.parse((await run('list', user.userId, '--json')).out);
    assert.deepEqual([json.userId, json.unclaimed, json.rewards.length], [user.userId, 24, 2]);
  });

  await t.test('the API shows the same rewards, separate from the balance', async () => {
    const of = (what: string) =>
      call(s.app, `GET /v1/accounts/${user.address}/${what}`, { token: user.accessToken }).then((answer) =>
        answer.json(),
      );
    assert.deepEqual(await of('rewards'), [{ rewardAmount: '24', rewardAmountFormatted: '24' }]);
    assert.equal((await of('balance'))[0].quarters, '5');
  });

  await t.test('a faulty grant is refused with one sentence', async () => {
    const guest = await s.createGuest(game);
    const cases: [args: string[], sentence: RegExp][] = [
      [['grant', guest.userId, '1'], /^The user is a guest; rewards are for full users only\.$/],
      [['grant', NOBODY, '1'], /^There is no user "x{28}"\.$/],
      [['grant', game.address, '1'], /^The account 0x\w+ is no user's\.$/],
      [['grant', address, '35', '--key', 'prize'], /^This key was used before, for another user or another amount\.$/],
      [['grant', address, '1', '--key', ''], /^The key must have 1 to 255 characters\.$/],
      [['grant', address, '9007199254740991'], /^The treasury has \d+ free quarters; 9007199254740991 are needed\.$/],
      [['list', NOBODY], /^There is no user "x{28}"\.$/],
    ];
    for (const [args, sentence] of cases) {
      const { code, out, err } = await run(...args);
      assert.deepEqual([code, out], [/no user/.test(err) ? 3 : 1, ''], args.join(' '));
      assert.match(err.trimEnd(), sentence);
    }
  });
});
