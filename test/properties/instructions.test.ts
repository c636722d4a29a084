import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asAddress } from '../../src/base/address.ts';
import type { AppId, RequestId, RewardId, TransferId, UserId } from '../../src/base/ids.ts';
import { asQuarters, MAX_QUARTERS } from '../../src/base/quarters.ts';
import { capKey } from '../../src/identity/key-caps.ts';
import { mandateKey } from '../../src/identity/mandates.ts';
import type { TransferRequest } from '../../src/requests/requests.ts';
import type { RequestStatus } from '../../src/requests/states.ts';
import type { Instruction } from '../../src/service/instruction.ts';
import { decideInstruction } from '../../src/settlement/accept/decision.ts';
import type { LockedRows } from '../../src/settlement/accept/lock-set.ts';
import { toSplit } from '../../src/settlement/accept/split.ts';
import { runsOf } from '../kit/run/runs.ts';

const USERS = 3;
const REQUESTS = 5;
const APP = 'a'.repeat(20) as AppId;
const userId = (n: number) => `u${n}`.padEnd(28, '0') as UserId;
const payerOf = (n: number) => asAddress(`0x${String(n).repeat(40)}`);
const TREASURY = payerOf(9);
/** The app's account, which pays refunds. */
const SHOP = payerOf(7);
const STATUSES: RequestStatus[] = ['pending', 'approved', 'submitted', 'completed', 'failed', 'declined', 'expired'];

const amount = fc.integer({ min: 1, max: 60 });
const scene = fc.record({
  key: fc.record({ perDay: fc.integer({ min: 1, max: 100 }), today: fc.nat({ max: 40 }), revoked: fc.boolean() }),
  users: fc.array(
    fc.record({
      posted: fc.integer({ min: -50, max: 150 }),
      held: fc.nat({ max: 60 }),
      orphaned: fc.nat({ max: 60 }),
      frozen: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
      rewards: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 3 }),
      mandate: fc.option(fc.record({ each: amount, limit: fc.nat({ max: 100 }), spent: fc.nat({ max: 60 }) })),
    }),
    { minLength: USERS, maxLength: USERS },
  ),
  requests: fc.array(
    fc.record({
      user: fc.nat({ max: USERS - 1 }),
      amount,
      refunded: fc.nat({ max: 20 }),
      status: fc.oneof({ weight: 3, arbitrary: fc.constant('pending' as const) }, fc.constantFrom(...STATUSES)),
    }),
    { minLength: REQUESTS, maxLength: REQUESTS },
  ),
  instructions: fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ by: fc.constantFrom('page', 'mandate', 'key'), request: fc.nat({ max: REQUESTS }) }),
      },
      { weight: 1, arbitrary: fc.record({ by: fc.constant('issue'), amount }) },
      {
        weight: 2,
        arbitrary: fc.record({ by: fc.constant('refund'), refundOf: fc.nat({ max: REQUESTS }), amount }),
      },
      { weight: 1, arbitrary: fc.record({ by: fc.constant('payout'), user: fc.nat({ max: USERS }), amount }) },
    ),
    { maxLength: 25 },
  ),
});

/** The expected answer to each instruction of the group, in the simplest terms. */
function reference({
  users,
  requests,
  instructions,
  key,
}: typeof scene extends fc.Arbitrary<infer Scene> ? Scene : never) {
  const free = users.map(({ posted, held }) => posted - held);
  const rewards = users.map((user) => user.rewards.reduce((sum, amount) => sum + amount, 0));
  let [treasury, shop] = [100, 100];
  const refunded = requests.map((request) => request.refunded);
  const left = users.map(({ mandate }) => (mandate ? mandate.limit - mandate.spent : null));
  const status = requests.map((request): string => request.status);
  let approvable = key.perDay - key.today;
  return instructions.map((instruction) => {
    if (instruction.by === 'issue') {
      if (treasury < instruction.amount) return 'insufficient-quarters';
      treasury -= instruction.amount;
      return 'accepted';
    }
    if ('refundOf' in instruction) {
      const payment = requests[instruction.refundOf];
      if (!payment) return 'not-found';
      if (status[instruction.refundOf] !== 'completed') return 'not-refundable';
      if (refunded[instruction.refundOf]! + instruction.amount > payment.amount) return 'refund-too-large';
      if (shop < instruction.amount) return 'insufficient-quarters';
      refunded[instruction.refundOf]! += instruction.amount;
      shop -= instruction.amount;
      return 'accepted';
    }
    const [user, wanted] =
      'request' in instruction
        ? [requests[instruction.request]?.user, requests[instruction.request]?.amount]
        : [instruction.user, instruction.amount];
    if (user === undefined || wanted === undefined) return 'not-found';
    if ('request' in instruction) {
      const now = status[instruction.request]!;
      if (['approved', 'submitted', 'completed'].includes(now)) return 'repeated';
      if (now !== 'pending') return 'request-decided';
      const allowed = left[user];
      if (instruction.by !== 'page' && allowed === null) return 'auto-approve-not-granted';
      if (instruction.by !== 'page' && (allowed! < wanted || users[user]!.mandate!.each < wanted))
        return 'auto-approve-limit';
      if (instruction.by === 'key' && key.revoked) return 'token-invalid';
      if (users[user]!.frozen) return 'account-frozen';
      if (instruction.by === 'key' && approvable < wanted) return 'key-limit';
    }
    // Payers of payouts are apps. A frozen one belongs to a suspended app.
    if (users[user]?.frozen) return 'app-suspended';
    // This user has no account at all.
    const rewarded = 'request' in instruction ? Math.min(rewards[user]!, wanted) : 0;
    if (user === USERS) return 'insufficient-quarters';
    const missing = wanted - rewarded - free[user]!;
    if (missing > 0) return missing > users[user]!.orphaned ? 'insufficient-quarters' : 'quarters-unconfirmed';
    free[user]! -= wanted - rewarded;
    rewards[user]! -= rewarded;
    if ('request' in instruction) {
      status[instruction.request] = 'approved';
      if (instruction.by !== 'page') left[user]! -= wanted;
      if (instruction.by === 'key') approvable -= wanted;
    }
    return 'accepted';
  });
}

const RULES = {
  maxAmount: MAX_QUARTERS,
  supportUrl: undefined,
  withdrawalUserDayLimit: MAX_QUARTERS,
  withdrawalDayLimit: MAX_QUARTERS,
};
const KEY_HASH = Buffer.alloc(32, 7);
const PAYOUT = { kind: 'payout', keyHash: Buffer.alloc(32), isCapped: false } as const;
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

test('a group of instructions gets the same decisions as if each came alone', () => {
  fc.assert(
    fc.property(scene, (given) => {
      const { users, requests, instructions, key } = given;
      const cap = { perDay: asQuarters(key.perDay), today: asQuarters(key.today) };
      const rows: LockedRows = {
        roles: new Map(),
        guests: new Set(),
        revokedKeys: new Set(),
        closed: new Map(),
        suspended: new Set(),
        // A revoked key is not locked.
        keyDays: new Map(
          key.revoked ? [] : [[capKey(KEY_HASH), { hash: KEY_HASH, pay: null, ask: null, approve: cap }]],
        ),
        accounts: new Map([
          [TREASURY, { posted: asQuarters(100), held: asQuarters(0), frozenAt: null }],
          [SHOP, { posted: asQuarters(100), held: asQuarters(0), frozenAt: null }],
          ...users.map(
            ({ posted, held, frozen }, n) =>
              [
                payerOf(n),
                { posted: asQuarters(posted), held: asQuarters(held), frozenAt: frozen ? new Date() : null },
              ] as const,
          ),
        ]),
        orphaned: new Map(users.map(({ orphaned }, n) => [payerOf(n), asQuarters(orphaned)])),
        mandates: new Map(
          users.flatMap(({ mandate }, n) => {
            if (!mandate) return [];
            const pair = { userId: userId(n), appId: APP };
            const row = {
              ...pair,
              maxPerTransfer: asQuarters(mandate.each),
              maxPerDay: asQuarters(mandate.limit),
              spentToday: asQuarters(mandate.spent),
            };
            return [[mandateKey(pair), row] as const];
          }),
        ),
        sessions: new Set(),
        rewards: new Map(
          users.map(({ rewards }, n) => [
            userId(n),
            rewards.map((left, at) => ({ id: `${n}/${at}` as RewardId, left: asQuarters(left) })),
          ]),
        ),
        requests: new Map(
          requests.map(({ user, amount, status }, n) => [
            `r${n}` as RequestId,
            { id: `r${n}`, status, userId: userId(user), appId: APP, amount: asQuarters(amount) } as TransferRequest,
          ]),
        ),
        treasury: TREASURY,
        refunds: new Map(requests.map(({ refunded }, n) => [`r${n}` as RequestId, asQuarters(refunded)])),
        approvedHere: new Map(),
        withdrawals: {
          addresses: new Map(),
          withdrawn: { all: asQuarters(0), ofUsers: new Map() },
          ours: new Set(),
          young: new Map(),
        },
      };
      const heldBefore = new Map([...rows.accounts].map(([address, { held }]) => [address, held]));
      const built = instructions.map((instruction, n): Instruction => {
        const common = { transferId: `t${n}` as TransferId, to: payerOf(8) };
        if (instruction.by === 'issue') {
          return {
            ...common,
            from: TREASURY,
            amount: asQuarters(instruction.amount),
            origin: { kind: 'issue', change: {} as never },
          };
        }
        if ('refundOf' in instruction) {
          const refund = {
            ...PAYOUT,
            kind: 'refund',
            request: { refundOf: `r${instruction.refundOf}` } as never,
          } as const;
          return { ...common, from: SHOP, amount: asQuarters(instruction.amount), origin: refund };
        }
        if (!('request' in instruction)) {
          const payout = { ...PAYOUT, request: {} as never } as const;
          return { ...common, from: payerOf(instruction.user), amount: asQuarters(instruction.amount), origin: payout };
        }
        const request = requests[instruction.request] ?? { user: 0, amount: 1 };
        return {
          ...common,
          from: payerOf(request.user),
          amount: asQuarters(request.amount),
          origin: {
            kind: 'approval',
            requestId: `r${instruction.request}` as RequestId,
            userId: userId(request.user),
            appId: APP,
            actor: 'operator',
            by: instruction.by === 'page' ? 'page' : 'mandate',
            ...(instruction.by === 'key' && { keyHash: KEY_HASH }),
          },
        };
      });
      const decisions = built.map((instruction) => decideInstruction(instruction, rows, RULES));
      assert.deepEqual(
        decisions.map((decision) => (decision.kind === 'refused' ? decision.problem.code : decision.kind)),
        reference(given),
      );
      const byKey = built.flatMap(({ origin, amount }, i) =>
        decisions[i]!.kind === 'accepted' && origin.kind === 'approval' && origin.keyHash ? [amount] : [],
      );
      assert.equal(cap.today - asQuarters(key.today), sum(byKey));
      const spends = built.flatMap((instruction, i) => {
        const decision = decisions[i]!;
        return decision.kind === 'accepted' ? [toSplit(instruction, decision.rewards, TREASURY)] : [];
      });
      for (const [address, { held }] of rows.accounts) {
        const own = spends.filter(({ instruction }) => instruction.from === address).map((spend) => spend.own);
        assert.equal(held - heldBefore.get(address)!, sum(own));
      }
      for (const { instruction, legs, claims, own } of spends) {
        assert.equal(sum(legs.map(({ amount }) => amount)), instruction.amount);
        assert.equal(sum(claims.map(({ amount }) => amount)), instruction.amount - own);
        if (own > 0n) assert.equal(legs[0]!.transferId, instruction.transferId);
      }
      users.forEach((user, n) => {
        const taken = spends.flatMap(({ claims }) => claims).filter(({ rewardId }) => rewardId.startsWith(`${n}/`));
        const left = rows.rewards.get(userId(n))!.map((reward) => reward.left);
        assert.ok(left.every((amount) => amount >= 0n));
        assert.equal(sum(user.rewards.map(BigInt)) - sum(left), sum(taken.map(({ amount }) => amount)));
      });
    }),
    runsOf({ usual: 1_000, all: 20_000 }).parameters,
  );
});
