import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFunctionSelector } from 'viem';
import { asQuarters } from '../../src/base/quarters.ts';
import { auditLedger } from '../../src/diagnostics/audit/audit-ledger.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { grantReward } from '../kit/service/operator-acts.ts';
import { fundedPayment, statusOf } from '../kit/service/payment.ts';
import { legsOf, newPlayer, startGame } from '../kit/service/player.ts';
import type { TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';
import { changeRewardClaims, changeRewards } from '../rows/rewards.ts';

const postedOf = async ({ service }: TestService, address: string) => {
  const [row] = await service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE address = $1', [
    address.toLowerCase(),
  ]);
  return Number(row!.posted);
};

async function assertSound(s: TestService): Promise<void> {
  await s.settled();
  await assertLedgerIsChain(s.service);
  assert.deepEqual((await auditLedger(s.service)).differences, []);
}

describe('payments that use a reward', { concurrency: 2 }, () => {
  for (const perTransaction of ['1', '3']) {
    test(`a payment from balance and reward is one transaction, with ${perTransaction} transfers per transaction`, async (t) => {
      const { s, game } = await startGame(t, { TRANSFERS_PER_TRANSACTION: perTransaction });
      const player = await newPlayer(s, game, 100);
      await player.grant(30);
      assert.deepEqual(await player.spendable(), [100, 30], 'a reward is not part of the balance');

      const { id, txId } = await player.spend(50);
      const legs = await legsOf(s, id);
      assert.deepEqual(
        legs.map(({ kind, amount }) => [kind, amount]),
        [
          ['user', 20n],
          ['treasury', 30n],
        ],
      );
      assert.deepEqual(
        new Set(legs.map(({ tx_hash }) => tx_hash)),
        new Set([txId]),
        'both legs are in the transaction of the answer',
      );
      assert.deepEqual(await player.spendable(), [80, 0]);
      await assertHoldsAreTransfers(s.service);
      await assertSound(s);
      assert.equal(await statusOf(s, id), 'completed');
      assert.equal(await postedOf(s, game.address), 50);
      const mined = (await s.evm.rpc('eth_getTransactionByHash', [txId])) as { to: string; input: string };
      assert.equal(mined.to, s.service.chain.contracts.settlement);
      const settle = toFunctionSelector('settle((address,address,uint256,bytes32,uint8,bytes32,bytes32)[])');
      assert.ok(mined.input.startsWith(settle));
    });
  }

  test('a payment that the reward covers comes from the treasury alone, and the rest of the reward stays', async (t) => {
    const { s, game } = await startGame(t);
    const player = await newPlayer(s, game);
    await player.grant(20);
    await player.grant(25);
    const { id } = await player.spend(30);
    assert.deepEqual(
      (await legsOf(s, id)).map(({ kind, amount }) => [kind, amount]),
      [['treasury', 30n]],
    );
    assert.deepEqual(await player.spendable(), [0, 15]);
    await assertSound(s);
    assert.equal(await statusOf(s, id), 'completed');
    assert.equal((await player.spend(15)).status, 303);
    await assertSound(s);
    assert.deepEqual(await player.spendable(), [0, 0]);
    assert.equal(await postedOf(s, game.address), 45);
  });

  test('a payment above balance and reward together is refused with 402', async (t) => {
    const { s, game } = await startGame(t);
    const player = await newPlayer(s, game, 10);
    await player.grant(7);
    const tooMuch = await player.spend(18);
    assert.equal(tooMuch.status, 402);
    assert.deepEqual(await player.spendable(), [10, 7], 'a refusal takes nothing');
    assert.equal((await player.spend(17)).status, 303);
    assert.equal((await player.spend(1)).status, 402);
    await assertSound(s);
    assert.equal(await statusOf(s, tooMuch.id), 'pending');
  });

  test('approving a payment twice pays it once', async (t) => {
    const { s, game } = await startGame(t);
    const player = await newPlayer(s, game, 10);
    await player.grant(50);
    const payment = await player.ask(20);
    const page_token = await payment.formToken();
    const first = await payment.decide({ page_token, decision: 'approve' });
    const again = await payment.decide({ page_token, decision: 'approve' });
    assert.deepEqual([again.status, again.location], [first.status, first.location]);
    assert.deepEqual(await player.spendable(), [10, 30]);
    await assertSound(s);
    const late = await payment.decide({ page_token, decision: 'approve' });
    assert.equal(late.location, first.location);
  });
});

describe('granting rewards', () => {
  test('a reward is granted once per key, and never more than the treasury has', async (t) => {
    const { s, game } = await startGame(t, { INITIAL_SUPPLY: '1000' });
    const player = await newPlayer(s, game, 400);
    await player.grant(100, 'prize');
    await player.grant(100, 'prize');
    assert.deepEqual(await player.spendable(), [400, 100]);
    await assert.rejects(player.grant(99, 'prize'), { code: 'idempotency-mismatch' });
    const other = await newPlayer(s, game);
    await assert.rejects(other.grant(100, 'prize'), { code: 'idempotency-mismatch' });
    await assert.rejects(other.grant(501), { code: 'insufficient-quarters' });
    await other.grant(500);
    await assert.rejects(other.grant(1), { code: 'insufficient-quarters' });
    await assert.rejects(s.issue(game.id, 1), { code: 'insufficient-quarters' }, 'promised quarters cannot be issued');
    await assertSound(s);
  });

  test('a first payment earns the welcome reward, and the player’s own quarters earn a share', async (t) => {
    const { s, game } = await startGame(t, { WELCOME_REWARD: '40', REWARD_SHARE_PERCENT: '10' });
    const player = await newPlayer(s, game, 1000);
    const rewards = async () => {
      const rows = await s.service.db.query<{ source: string; amount: bigint }>(
        'SELECT source, amount FROM rewards WHERE user_id = $1',
        [player.user.userId],
      );
      return rows.map(({ source, amount }) => `${source} ${amount}`).sort();
    };
    const granted = (expected: string[]) =>
      until(`granted: ${expected}`, async () => (await rewards()).join() === expected.join());
    await player.spend(205);
    await granted(['share 20', 'welcome 40']);
    assert.deepEqual(await player.spendable(), [795, 60]);
    // 60 of these come from the rewards, which earn nothing.
    await player.spend(100);
    await granted(['share 20', 'share 4', 'welcome 40']);
    await player.spend(9);
    const nothing = 'SELECT FROM earned_rewards';
    await until('earned rewards are granted', async () => (await s.service.db.query(nothing)).length === 0);
    await assertSound(s);
    assert.deepEqual(await rewards(), ['share 20', 'share 4', 'welcome 40']);
  });

  test('guests get no rewards', async (t) => {
    const { s, game } = await startGame(t, { WELCOME_REWARD: '40', REWARD_SHARE_PERCENT: '50' });
    const payment = await fundedPayment(s, game);
    await payment.decide({ decision: 'approve' });
    await s.settled();
    await until('earned rewards are granted', async () => {
      return (await s.service.db.query('SELECT FROM earned_rewards')).length === 0;
    });
    assert.deepEqual(await s.service.db.query('SELECT FROM rewards'), []);
    const grant = { user: payment.guest.userId, amount: asQuarters(1) };
    await assert.rejects(grantReward(s.service, grant), { code: 'invalid-input', message: /guest/ });
    await assert.rejects(grantReward(s.service, { ...grant, user: game.address }), { code: 'not-found' });
    await assert.rejects(grantReward(s.service, { ...grant, user: '0x12' }), { code: 'invalid-input' });
  });
});

test('the audit reports a reward that was changed in the database', async (t) => {
  const { s, game } = await startGame(t);
  const player = await newPlayer(s, game);
  await player.grant(50);
  await player.spend(20);
  await assertSound(s);
  const { address: treasury } = await findTreasury(s.service.db);
  const differences = async () =>
    (await auditLedger(s.service)).differences.map(({ kind, account, ledger, other }) =>
      [kind, account === treasury ? 'treasury' : account, ledger, other].join(' '),
    );
  await changeRewards(s.service.db, {}, { amount: 55 });
  assert.deepEqual(await differences(), ['hold treasury 30 35']);
  await changeRewards(s.service.db, {}, { amount: 50, claimed: 15 });
  assert.deepEqual(await differences(), ['hold treasury 30 35', `reward ${player.user.address} 15 20`]);
  await changeRewards(s.service.db, {}, { claimed: 20 });
  await changeRewardClaims(s.service.db, {}, { amount: 19 });
  assert.deepEqual(
    (await differences()).sort(),
    [`reward ${player.user.address} 20 19`, 'reward treasury 20 19'].sort(),
  );
});
