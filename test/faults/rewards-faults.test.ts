import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { bytesToHex } from '../../src/base/hex.ts';
import type { TransferId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { carry } from '../../src/chain/token.ts';
import { unclaimedRewards } from '../../src/ledger/rewards.ts';
import { authorizeAgain } from '../../src/settlement/accept/signing.ts';
import { attemptsFor } from '../../src/settlement/tables/transaction-attempts.ts';
import { findTransfersOfRequests } from '../../src/settlement/tables/transfers.ts';
import { perTier } from '../kit/run/tier.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { assertHoldsAreTransfers } from '../kit/service/audit.ts';
import { makeFull } from '../kit/service/full-user.ts';
import { cancelTransfer, grantReward } from '../kit/service/operator-acts.ts';
import { legsOf } from '../kit/service/player.ts';
import { type Accepted, relayerOf, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { cancellations } from '../kit/unit/signed.ts';
import { until } from '../kit/unit/until.ts';

const ENOUGH = 10n ** 21n;

/** A scenario whose first guest is a full user with 100 quarters and a reward of 30. */
async function startRewarded(t: TestContext, env: Record<string, string> = {}) {
  const s = await startScenario(t, { env });
  const { userId } = s.guests[0]!;
  await makeFull(s.service, userId);
  const given = [await s.pay(0, 100)];
  await s.completed(...given);
  await grantReward(s.service, { user: userId, amount: asQuarters(30) });
  const spendable = async () => {
    const [account] = await s.service.db.query<{ own: bigint }>(
      'SELECT posted - held AS own FROM accounts WHERE user_id = $1',
      [userId],
    );
    return [Number(account!.own), Number(await unclaimedRewards(s.service.db, userId))];
  };
  return { s, spendable };
}

const statuses = async (s: Scenario, { requestId }: Accepted) =>
  (await legsOf(s, requestId)).map(({ status }) => status);
const requestMoves = async (s: Scenario, accepted: Accepted) => (await s.movesOf(accepted)).slice(2);

async function reverted(s: Scenario, accepted: Accepted): Promise<void> {
  await until('it reverted', async () => {
    const attempts = await s.attemptsOf(accepted);
    return attempts.some(({ status }) => status === 'mined');
  });
}

describe('payments with a reward under faults', { concurrency: 3 }, () => {
  const parts = ['user', 'treasury'].slice(0, perTier({ usual: 1, all: 2 }));

  test('a reorganisation reverts both legs of a payment, and both are paid again', async (t) => {
    const { s, spendable } = await startRewarded(t);
    await s.calm();
    await s.faulty.stopMining();
    const spent = await s.spend(0, 50);
    await until('it is sent', async () => (await statuses(s, spent)).join() === 'submitted,submitted');
    await s.faulty.mine();
    await until('it is completed', async () => (await s.movesOf(spent)).at(-1) === 'completed');
    await s.faulty.reorganise(1, [[]]);
    await until('it is on its way again', async () => (await s.movesOf(spent)).at(-1) === 'submitted');
    assert.deepEqual(await statuses(s, spent), ['submitted', 'submitted']);
    assert.deepEqual(await spendable(), [80, 0], 'claimed rewards stay claimed');
    await assertHoldsAreTransfers(s.service);
    s.faulty.startMining();
    await until('it is completed again', async () => (await s.movesOf(spent)).at(-1) === 'completed');
    assert.deepEqual(await requestMoves(s, spent), ['submitted', 'completed', 'submitted', 'completed']);
    assert.deepEqual(await spendable(), [80, 0]);
    await s.prove();
  });

  test('after a revert each leg is sent by itself, and the request waits for both', async (t) => {
    const { s, spendable } = await startRewarded(t);
    await asAdmin(s, PAUSE);
    const spent = await s.spend(0, 50);
    await reverted(s, spent);
    // Between a revert and the next transaction the request is approved.
    await until('it is sent again', async () => (await s.movesOf(spent)).at(-1) === 'submitted');
    await asAdmin(s, UNPAUSE);
    await s.completed(spent);
    await until('the request is completed', async () => (await s.movesOf(spent)).at(-1) === 'completed');
    const legs = await legsOf(s, spent.requestId);
    const carriers = await Promise.all(
      legs.map(async ({ id }) => (await attemptsFor(s.service.db, id as TransferId)).at(-1)!),
    );
    assert.notEqual(carriers[0]!.hash, carriers[1]!.hash);
    assert.deepEqual(await requestMoves(s, spent), ['submitted', 'completed']);
    assert.deepEqual(await spendable(), [80, 0]);
    await s.prove();
  });

  for (const named of parts) {
    test(`cancelling the ${named}'s leg fails both legs and returns balance and reward`, async (t) => {
      const { s, spendable } = await startRewarded(t);
      await asAdmin(s, PAUSE);
      const spent = await s.spend(0, 50);
      await reverted(s, spent);
      const legs = await legsOf(s, spent.requestId);
      await s.faulty.stopMining();
      await cancelTransfer(s.service, legs.find(({ kind }) => kind === named)!.id as TransferId);
      assert.deepEqual(await spendable(), [80, 0], 'nothing is released before the chain shows it');
      s.faulty.startMining();
      await until('it failed', async () => (await s.movesOf(spent)).at(-1) === 'failed');
      assert.deepEqual(await statuses(s, spent), ['failed', 'failed']);
      assert.deepEqual(await spendable(), [100, 30]);
      await assertHoldsAreTransfers(s.service);
      await asAdmin(s, UNPAUSE);
      const again = await s.spend(0, 130);
      await s.completed(again);
      assert.deepEqual(await spendable(), [0, 0]);
      await s.prove({ cancelled: legs.map(({ id }) => id as TransferId) });
    });
  }

  for (const paid of parts) {
    test(`a request fails when the ${paid}'s leg is paid and the other is cancelled and returned`, async (t) => {
      const { s, spendable } = await startRewarded(t);
      const spent = await sentAndForgotten(s, 50);
      const legs = await legsOf(s, spent.requestId);
      const [one, other] = paid === 'user' ? legs : legs.toReversed();
      await submitAsStranger(s, spent, one!.id);
      await until('one leg is paid', async () => (await statuses(s, spent)).includes('completed'));
      assert.equal((await s.movesOf(spent)).at(-1), 'submitted', 'the other leg is on its way');
      await cancelAndSend(s, other!.id);
      await s.faulty.mine();
      await until('it failed', async () => (await s.movesOf(spent)).at(-1) === 'failed');
      assert.deepEqual(await statuses(s, spent), paid === 'user' ? ['completed', 'failed'] : ['failed', 'completed']);
      assert.deepEqual(await spendable(), paid === 'user' ? [80, 30] : [100, 0]);
      await assertHoldsAreTransfers(s.service);
      await giveRelayer(s, ENOUGH);
      await s.prove({ cancelled: [other!.id as TransferId] });
    });
  }

  test('a reorganisation that reverts a cancellation is healed although the reward is spent again', async (t) => {
    const { s, spendable } = await startRewarded(t);
    const spent = await sentAndForgotten(s, 50);
    const legs = await legsOf(s, spent.requestId);
    await cancelAndSend(s, legs[0]!.id);
    await s.faulty.mine();
    await until('it failed', async () => (await s.movesOf(spent)).at(-1) === 'failed');
    assert.deepEqual(await spendable(), [100, 30]);
    const again = await s.spend(0, 110);
    assert.deepEqual(await spendable(), [20, 0]);

    await s.faulty.reorganise(1, [[]]);
    await until('it is on its way again', async () => (await s.movesOf(spent)).at(-1) === 'submitted');
    assert.deepEqual(await spendable(), [0, 0], 'nothing is left of what was spent again');
    await assertHoldsAreTransfers(s.service);
    await giveRelayer(s, ENOUGH);
    s.faulty.startMining();
    await s.completed(again);
    await s.calm();
    // Whichever was mined first this time.
    const isPaid = (await statuses(s, spent))[0] === 'completed';
    assert.deepEqual(await spendable(), isPaid ? [0, 0] : [20, 0]);
    await s.prove({ cancelled: legs.map(({ id }) => id as TransferId) });
  });
});

/**
 * The node gets the first guest's payment and forgets it. From then on only the test mines. The relayer has no ether
 * until the test gives it some, so that the node does not take the payment when it is sent again.
 */
async function sentAndForgotten(s: Scenario, amount: number): Promise<Accepted> {
  await s.calm();
  await s.faulty.stopMining();
  const spent = await s.spend(0, amount);
  await until('it is sent', async () => (await statuses(s, spent)).every((status) => status === 'submitted'));
  await giveRelayer(s, 0n);
  await s.faulty.evm.rpc('anvil_dropAllTransactions');
  return spent;
}

/** Resolves when the node has the cancellations. */
async function cancelAndSend(s: Scenario, id: string): Promise<void> {
  await cancelTransfer(s.service, id as TransferId);
  await until('the cancellation is sent', async () => {
    return (await cancellations(s.service.db)).every(({ isSent }) => isSent);
  });
}

async function giveRelayer(s: Scenario, wei: bigint): Promise<void> {
  await s.faulty.evm.rpc('anvil_setBalance', [await relayerOf(s), `0x${wei.toString(16)}`]);
}

/** Somebody sends one of the authorizations alone to the token. */
async function submitAsStranger(s: Scenario, { requestId }: Accepted, transferId: string): Promise<void> {
  const { service, faulty } = s;
  const transfer = (await findTransfersOfRequests(service.db, [requestId])).find(({ id }) => id === transferId)!;
  const [signed] = (await authorizeAgain(service.db, service, [transfer])).values();
  const [stranger] = (await faulty.evm.rpc('eth_accounts')) as string[];
  const call = carry(service.chain.contracts, [signed!]);
  await faulty.sendAs(stranger!, { ...call, data: bytesToHex(call.data) });
  await faulty.mine();
}
