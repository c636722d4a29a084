import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAccount } from '../../src/features/accounts/close-account.ts';
import { findUser } from '../../src/identity/users.ts';
import { readCursor } from '../../src/ledger/blocks.ts';
import { houseOf, type Wing } from '../../src/service/house.ts';
import { ACCOUNT_CLOSED, HISTORY_CHANGED, PAYMENT_REFUSED, TAKEN_BACK } from '../../src/service/moments.ts';
import { createPerson } from '../kit/service/people.ts';
import { runCommand } from '../kit/service/run-command.ts';
import { startScenario } from '../kit/service/scenario.ts';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { changeAccounts } from '../rows/ledger.ts';

type Told = { readonly moment: string; readonly of: unknown };

/** A wing that takes every moment, and notes it. As many of its transactions fail as `fails` has left. */
function recorder(told: Told[], fails: { left: number }): Wing {
  const note = async (moment: string, of: unknown = null) => {
    told.push({ moment, of });
    if (fails.left-- > 0) throw new Error(`${moment} failed`);
  };
  return {
    name: 'recorder',
    mount(house) {
      house.add(
        PAYMENT_REFUSED,
        (_service, { kind }, code) => void told.push({ moment: 'refused', of: `${kind} ${code}` }),
      );
      house.add(ACCOUNT_CLOSED, async () => (_tx, user) => note('closed', user));
      house.add(HISTORY_CHANGED, async () => () => note('changed'));
      house.add(TAKEN_BACK, async () => async (_tx, above) => {
        await note('taken back', above);
        return { what: 'notes', blocks: [above + 1n] };
      });
    },
  };
}

test('wings are told of each moment in its transaction, and their fault undoes it', async (t) => {
  const told: Told[] = [];
  const fails = { left: 0 };
  const s = await startScenario(t, { house: houseOf([recorder(told, fails)]) });
  const { db } = s.service;
  const take = () => told.splice(0).map(({ moment, of }) => (of === null ? moment : `${moment} ${of}`));

  await t.test('a refused payment', async () => {
    await assert.rejects(s.pay(0, 10_000_000), /quarters/);
    assert.deepEqual(take(), ['refused payout insufficient-quarters']);
  });

  await t.test('an account that is closed', async () => {
    const person = await createPerson(s);
    const close = async () => closeAccount(s.service, (await findUser(db, person.userId))!, person.session);
    fails.left = 1;
    await assert.rejects(close(), /closed failed/);
    assert.equal((await findUser(db, person.userId))?.kind, 'full');
    assert.equal(await close(), true);
    assert.deepEqual(take(), [`closed ${person.userId}`, `closed ${person.userId}`]);
  });

  await t.test('postings that a reorganisation takes back', async () => {
    await s.completed(await s.pay(0, 3));
    await s.faulty.stopMining();
    const before = (await readCursor(db))!.number;
    fails.left = 1;
    await s.faulty.reorganise(2);
    s.faulty.startMining();
    await s.faulty.mine();
    await until('it was told twice', async () => told.length === 2);
    const [failed, done] = take();
    assert.equal(failed, done, 'the first changed nothing');
    assert.match(done!, /^taken back \d+$/);
    assert.ok(BigInt(done!.slice('taken back '.length)) < before);
    await s.calm();
    await s.completed(await s.pay(1, 4));
    assert.deepEqual(take(), []);
  });

  await s.prove();
});

test('wings are told of a ledger that is repaired', async (t) => {
  const told: Told[] = [];
  const s = await startTestService(t, { house: houseOf([recorder(told, { left: 0 })]) });
  const app = await s.createApp();
  await s.issue(app.id, 50);
  await changeAccounts(s.service.db, { address: app.address.toLowerCase() }, { posted: 57 });
  const { code, err } = await runCommand(s.service, 'audit', '--repair', '--yes');
  assert.equal(code, 0, err);
  const [changed, back, ...more] = told;
  assert.deepEqual([changed?.moment, back?.moment, more], ['changed', 'taken back', []]);
  const block = (back?.of as bigint) + 1n;
  assert.ok(err.includes(`Notes are withdrawn: those of block ${block}.\n`), err);
});
