import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { asAddress } from '../../src/base/address.ts';
import { BalanceChanges } from '../../src/ledger/postings.ts';
import { after, type RequestEvent, type RequestStatus, TRANSITIONS } from '../../src/requests/states.ts';
import { runsOf } from '../kit/run/runs.ts';

const address = fc.integer({ min: 0, max: 5 }).map((n) => asAddress(`0x${String(n).repeat(40)}`));
const posting = fc.record({ from: address, to: address, amount: fc.bigInt({ min: 0n, max: 2n ** 53n - 1n }) });
const hold = fc.record({ address, held: fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }) });

test('changes by postings sum to zero, and to each account’s own postings', () => {
  fc.assert(
    fc.property(fc.array(posting), fc.array(hold), (postings, holds) => {
      const changes = new BalanceChanges();
      for (const each of postings) changes.addPosting(each, 1n);
      for (const { address, held } of holds) changes.add(address, { held });
      const entries = changes.entries();
      assert.equal(
        entries.reduce((sum, [, { posted }]) => sum + posted, 0n),
        0n,
      );
      for (const [address, { posted, held }] of entries) {
        let expected = 0n;
        for (const { from, to, amount } of postings) {
          if (to === address) expected += amount;
          if (from === address) expected -= amount;
        }
        assert.equal(posted, expected);
        assert.equal(
          held,
          holds.filter((each) => each.address === address).reduce((sum, each) => sum + each.held, 0n),
        );
      }
    }),
    runsOf({ usual: 100, all: 10_000 }).parameters,
  );
});

test('a posting and its reversal cancel out, and accounts are sorted in their lock order', () => {
  fc.assert(
    fc.property(fc.array(posting), (postings) => {
      const changes = new BalanceChanges();
      for (const each of postings) changes.addPosting(each, 1n);
      for (const each of postings.toReversed()) changes.addPosting(each, -1n);
      for (const [, { posted, held }] of changes.entries()) assert.deepEqual([posted, held], [0n, 0n]);
      const addresses = changes.entries().map(([address]) => address);
      assert.deepEqual(addresses, [...new Set(addresses)].sort());
    }),
    runsOf({ usual: 100, all: 10_000 }).parameters,
  );
});

test('a request is decided at most once and paid only after approval, in any order of events', () => {
  const events = Object.keys(TRANSITIONS) as RequestEvent[];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...events), { maxLength: 40 }), (sequence) => {
      let status: RequestStatus = 'pending';
      let decisions = 0;
      let approved = false;
      for (const event of sequence) {
        const next = after(status, event);
        const { from, to } = TRANSITIONS[event];
        assert.equal(next, (from as readonly RequestStatus[]).includes(status) ? to : null);
        if (next === null) continue;
        if (status === 'pending') decisions++;
        // The chain shows that it was approved, and a restored database did not know.
        approved ||= event === 'approve' || event === 'recover';
        status = next;
        const onItsWay = ['approved', 'submitted', 'completed', 'failed'].includes(status);
        assert.equal(onItsWay, approved, `${status} ${approved ? 'after' : 'without'} an approval`);
        assert.ok(decisions <= 1);
      }
    }),
    runsOf({ usual: 500, all: 20_000 }).parameters,
  );
});
