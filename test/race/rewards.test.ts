import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTransferId, type RequestId } from '../../src/base/ids.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { grantEarned } from '../../src/features/rewards/grant-earned.ts';
import { lookUpRequest } from '../../src/requests/requests.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import { openAcceptance } from '../../src/settlement/accept/accept.ts';
import { assertHoldsAreTransfers, assertLedgerIsChain } from '../kit/service/audit.ts';
import { legsOf, newPlayer, sharedGame, startGame } from '../kit/service/player.ts';
import type { TestService } from '../kit/service/service.ts';
import { insertEarnedRewardRows } from '../rows/rewards.ts';
import { goesByTheOrder, type Lock, locking } from './by-the-order.ts';

test('concurrent approvals never claim the same reward twice', async (t) => {
  const { s, game } = await sharedGame(t);
  const player = await newPlayer(s, game);
  let spent = 0;
  for (let round = 0; round < 4; round++) {
    // Enough for six and a half of the twenty.
    await player.grant(45);
    await s.issue(player.user.userId, 20);
    const payments = await Promise.all(Array.from({ length: 20 }, () => player.ask(10)));
    const tokens = await Promise.all(payments.map((payment) => payment.formToken()));
    let looking = true;
    const looks = (async () => {
      for (let count = 0; ; count++) {
        if (!looking) return count;
        await assertHoldsAreTransfers(s.service);
        const over = await s.service.db.query('SELECT FROM rewards WHERE claimed > amount');
        assert.deepEqual(over, []);
      }
    })();
    const answers = await Promise.all(
      payments.map((payment, i) => payment.decide({ page_token: tokens[i]!, decision: 'approve' })),
    );
    looking = false;
    assert.ok((await looks) > 0);
    const paid = payments.filter((_, i) => answers[i]!.status === 303);
    assert.equal(paid.length, 6, 'balance and reward pay six');
    for (const { id } of paid) {
      const legs = await legsOf(s, id);
      assert.equal(
        legs.reduce((sum, { amount }) => sum + amount, 0n),
        10n,
      );
    }
    spent += 60;
    await s.settled();
    const [own, reward] = await player.spendable();
    assert.equal(own + reward, 5);
    assert.equal((await player.spend(own + reward)).status, 303);
    spent += 5;
    await s.settled();
  }
  const [posted] = await s.service.db.query<{ posted: bigint }>('SELECT posted FROM accounts WHERE app_id = $1', [
    game.id,
  ]);
  assert.equal(Number(posted!.posted), spent);
  await assertLedgerIsChain(s.service);
});

test('two processes never claim the same reward twice', async (t) => {
  const { s, game } = await startGame(t, { RELAYERS: '2' });
  const player = await newPlayer(s, game);
  // Each decider stands for a process: its groups are separate transactions, which share only the rows.
  const acceptances = s.service.settlement.relayers.map((relayer) =>
    openAcceptance({ ...s.service, settlement: { ...s.service.settlement, relayers: [relayer] } }),
  );
  assert.equal(acceptances.length, 2);
  for (let round = 0; round < 5; round++) {
    await player.grant(30);
    const payments = await Promise.all(Array.from({ length: 12 }, () => player.ask(7)));
    const instructions = await Promise.all(payments.map(({ id }) => approvalOf(s, id)));
    const results = await Promise.allSettled(
      instructions.map((instruction, i) => acceptances[i % 2]!.accept(instruction)),
    );
    for (const result of results) {
      if (result.status === 'rejected') assert.equal(result.reason.code, 'insufficient-quarters');
    }
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 4);
    await assertHoldsAreTransfers(s.service);
    assert.deepEqual(await player.spendable(), [0, 2]);
    assert.equal((await player.spend(2)).status, 303);
  }
  await s.settled();
  await assertLedgerIsChain(s.service);
});

test('equal calls with one Idempotency-Key claim a reward once and get one answer', async (t) => {
  const { s } = await sharedGame(t);
  const game = await s.createApp({ redirectUris: ['https://game.example/'], autoApprove: true });
  const player = await newPlayer(s, game, 50);
  const { userId, address, accessToken } = player.user;
  assert.equal((await (await player.ask(1)).decide({ decision: 'approve', mandate: 'on' })).status, 303);
  await player.grant(30);
  const { id } = await player.ask(40);
  const approve = async () => {
    const { statusCode, body } = await s.app.inject({
      method: 'POST',
      url: `/v1/requests/${id}/autoApprove`,
      headers: { authorization: `Bearer ${accessToken}`, 'idempotency-key': 'k' },
      payload: { clientId: game.id, userId, address },
    });
    return `${statusCode} ${body}`;
  };
  const answers = new Set(await Promise.all(Array.from({ length: 20 }, approve)));
  await s.settled();
  answers.add(await approve());
  assert.equal(answers.size, 1);
  assert.match([...answers][0]!, /^200 /);
  assert.ok([...answers][0]!.includes((await legsOf(s, id))[0]!.tx_hash));
  assert.deepEqual(await player.spendable(), [39, 0]);
  await assertLedgerIsChain(s.service);
});

test('concurrent grants of earned rewards grant each once and within the caps', async (t) => {
  // No loop grants: the service runs without rules, and only the test's own rounds have them.
  const { s, game } = await startGame(t);
  const settings = {
    ...s.service.settings,
    welcomeReward: asQuarters(20),
    rewardSharePercent: 50,
    rewardsPerUserPerDay: asQuarters(30),
    rewardsPerAppPerDay: asQuarters(100),
  };
  const players = await Promise.all([1, 2, 3].map(() => newPlayer(s, game)));
  const ids: string[] = [];
  for (const player of players) {
    await s.issue(player.user.userId, 100);
    for (let i = 0; i < 5; i++) ids.push((await player.spend(20)).id);
  }
  await s.settled();
  await insertEarnedRewardRows(s.service.db, ['welcome', 'share'], ids);
  const look = () => grantEarned({ ...s.service, settings });
  await Promise.all(Array.from({ length: 8 }, look));
  const granted = await s.service.db.query<{ source: string; key: string; user_id: string; amount: bigint }>(
    'SELECT source, key, user_id, amount FROM rewards',
  );
  const sum = (rewards: typeof granted) => rewards.reduce((total, { amount }) => total + Number(amount), 0);
  assert.equal(sum(granted), 100, "the app's cap is reached");
  for (const { user } of players) {
    const own = granted.filter(({ user_id }) => user_id === user.userId);
    assert.ok(own.filter(({ source }) => source === 'welcome').length <= 1);
    assert.ok(sum(own.filter(({ source }) => source === 'share')) <= 30);
  }
  // Completed again, as after a reorganisation, it earns nothing more.
  await insertEarnedRewardRows(s.service.db, ['share'], ids);
  await Promise.all([look(), look()]);
  assert.equal(sum(granted), sum(await s.service.db.query('SELECT source, key, user_id, amount FROM rewards')));
  await assertHoldsAreTransfers(s.service);
});

test('granting waits for the deletion of an app before it locks the treasury, which all payouts need', async (t) => {
  const { s, game } = await startGame(t);
  const { db } = s.service;
  const player = await newPlayer(s, game, 20);
  const { id } = await player.spend(20);
  await s.settled();
  await insertEarnedRewardRows(db, ['welcome'], [id]);
  const settings = { ...s.service.settings, welcomeReward: asQuarters(5) };
  const deleting: Lock = ['SELECT FROM apps WHERE id = $1 FOR UPDATE', [game.id]];
  const treasury = locking('accounts', 'kind', 'treasury');
  await goesByTheOrder(db, deleting, treasury, () => grantEarned({ ...s.service, settings }));
  assert.deepEqual(await player.spendable(), [0, 5]);
});

/** The instruction to approve a request, as the page makes it. */
async function approvalOf({ service }: TestService, id: RequestId): Promise<Instruction> {
  const request = (await lookUpRequest(service.db, id))!;
  const { userId, appId, from, to, amount } = request;
  const origin = { kind: 'approval', requestId: id, userId, appId, actor: `user:${userId}`, by: 'page' } as const;
  return { transferId: newTransferId(), from, to, amount, origin };
}

test('concurrent grants give one reward per key, and never more than the treasury has', async (t) => {
  const { s, game } = await startGame(t, { INITIAL_SUPPLY: '100' });
  const player = await newPlayer(s, game);
  await Promise.all(Array.from({ length: 15 }, () => player.grant(30, 'prize')));
  assert.deepEqual(await player.spendable(), [0, 30]);
  const results = await Promise.allSettled(Array.from({ length: 15 }, () => player.grant(20)));
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3);
  assert.deepEqual(await player.spendable(), [0, 90]);
  await assertHoldsAreTransfers(s.service);
});
