import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { asAddress } from '../../src/base/address.ts';
import {
  type AppId,
  type RequestId,
  type RewardId,
  type TransferId,
  transferIdOf,
  type UserId,
} from '../../src/base/ids.ts';
import { asQuarters, type Quarters } from '../../src/base/quarters.ts';
import { type Candidate, withinCaps } from '../../src/features/rewards/grant-earned.ts';
import type { Approval, Instruction } from '../../src/service/instruction.ts';
import { packLegs } from '../../src/settlement/accept/signing.ts';
import { toSplit } from '../../src/settlement/accept/split.ts';
import { seedOf } from '../kit/run/seed.ts';

const REQUEST = '00000000-0000-7000-8000-000000000001' as RequestId;
const REWARDED = transferIdOf(REQUEST, 'reward');
const PLAYER = asAddress(`0x${'1'.repeat(40)}`);
const GAME = asAddress(`0x${'2'.repeat(40)}`);
const TREASURY = asAddress(`0x${'3'.repeat(40)}`);
const instruction = (amount: number, id = 'first'): Instruction => ({
  transferId: id as TransferId,
  from: PLAYER,
  to: GAME,
  amount: asQuarters(amount),
  origin: { kind: 'approval', requestId: REQUEST } as Approval,
});
const parts = (...amounts: number[]) =>
  amounts.map((amount, i) => ({ rewardId: `reward ${i}` as RewardId, amount: asQuarters(amount) }));

describe('a split payment', () => {
  it('without a reward is one transfer', () => {
    const { legs, claims, own } = toSplit(instruction(10), [], null);
    assert.deepEqual([legs.map(({ from }) => from), claims, own], [[PLAYER], [], 10n]);
  });

  it('larger than the reward is two transfers; the player pays the rest, under the id of the instruction', () => {
    const { legs, claims, own } = toSplit(instruction(10), parts(3, 4), TREASURY);
    assert.equal(own, 3n);
    assert.deepEqual(
      legs.map(({ from, to, amount }) => [from, to, amount]),
      [
        [PLAYER, GAME, 3n],
        [TREASURY, GAME, 7n],
      ],
    );
    assert.equal(legs[0]!.transferId, 'first');
    assert.equal(legs[1]!.transferId, REWARDED);
    assert.deepEqual(
      claims.map(({ transferId, amount }) => [transferId, amount]),
      [
        [legs[1]!.transferId, 3n],
        [legs[1]!.transferId, 4n],
      ],
    );
  });

  it('that the reward covers is one transfer from the treasury, under the id of a reward’s part', () => {
    const { legs, claims, own } = toSplit(instruction(10), parts(10), TREASURY);
    assert.equal(own, 0n);
    assert.deepEqual(
      legs.map(({ transferId, from, amount }) => [transferId, from, amount]),
      [[REWARDED, TREASURY, 10n]],
    );
    assert.equal(claims[0]!.transferId, REWARDED);
  });
});

it('bundles are filled in order and never separate the legs of a payment', () => {
  const spends = fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 30 });
  fc.assert(
    fc.property(spends, fc.integer({ min: 1, max: 5 }), (sizes, most) => {
      const given = sizes.map((size, i) => ({
        legs: Array.from({ length: size }, (_, leg) => instruction(1, `${i}/${leg}`)),
      }));
      const packs = packLegs(given, most);
      assert.deepEqual(
        packs.flat(),
        given.flatMap(({ legs }) => legs),
      );
      for (const pack of packs) assert.ok(pack.length > 0 && pack.length <= Math.max(most, 2));
      for (const { legs } of given)
        assert.equal(packs.filter((pack) => legs.some((leg) => pack.includes(leg))).length, 1);
    }),
    { seed: seedOf('properties') },
  );
});

describe('the daily caps of rewards', () => {
  const caps = { rewardsPerUserPerDay: asQuarters(50), rewardsPerAppPerDay: asQuarters(80) };
  const candidate = (source: Candidate['source'], user: string, amount: number, app = 'game'): Candidate => ({
    id: `${source} ${user}` as RewardId,
    userId: user as UserId,
    appId: app as AppId,
    amount: asQuarters(amount),
    source,
    key: user,
  });
  const amounts = (candidates: Candidate[], granted: [string, number][] = []) =>
    withinCaps(
      candidates,
      new Map(granted.map(([id, amount]): [UserId | AppId, Quarters] => [id as UserId, asQuarters(amount)])),
      caps,
    ).map(({ userId, amount }) => [userId, Number(amount)]);

  it('leave amounts below them unchanged', () => {
    assert.deepEqual(amounts([candidate('share', 'ann', 20), candidate('share', 'bob', 30)]), [
      ['ann', 20],
      ['bob', 30],
    ]);
  });

  it('cut a share to what is left of the user’s and the app’s cap', () => {
    assert.deepEqual(amounts([candidate('share', 'ann', 60)], [['ann', 10]]), [['ann', 40]]);
    assert.deepEqual(amounts([candidate('share', 'ann', 40)], [['game', 70]]), [['ann', 10]]);
    assert.deepEqual(amounts([candidate('share', 'ann', 40)], [['game', 80]]), []);
    assert.deepEqual(amounts([candidate('share', 'ann', 40)], [['ann', 99]]), []);
  });

  it('count rewards granted in the same call', () => {
    const shares = ['ann', 'ann', 'bob', 'cleo'].map((user) => candidate('share', user, 40));
    assert.deepEqual(amounts(shares), [
      ['ann', 40],
      ['ann', 10],
      ['bob', 30],
    ]);
    assert.deepEqual(amounts([candidate('share', 'cleo', 40), candidate('share', 'bob', 40, 'other')]), [
      ['cleo', 40],
      ['bob', 40],
    ]);
  });

  it('grant a welcome in full or not now, whatever the user got today', () => {
    assert.deepEqual(amounts([candidate('welcome', 'ann', 60)], [['ann', 50]]), [['ann', 60]]);
    assert.deepEqual(amounts([candidate('welcome', 'ann', 60)], [['game', 21]]), []);
  });
});
