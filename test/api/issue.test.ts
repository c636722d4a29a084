import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toChecksum } from '../../src/base/address.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters } from '../../src/base/quarters.ts';
import { issueQuarters } from '../../src/features/payments/issue-quarters.ts';
import { findTreasury } from '../../src/ledger/accounts.ts';
import { assertNothingMoves } from '../kit/service/call.ts';
import { sharedService } from '../kit/service/shared-service.ts';

test('the operator cannot issue quarters to an address that no user has', async (t) => {
  const { service } = await sharedService(t);
  const { token, settlement } = service.chain.contracts;
  const { address: treasury } = await findTreasury(service.db);
  for (const [name, recipient] of [
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['the token', token],
    ['the token, in mixed case', toChecksum(token)],
    ['the settlement contract', settlement],
    ['the treasury', treasury],
  ] as const) {
    await t.test(`issuing to ${name} is refused`, () =>
      assertNothingMoves(service, async () => {
        const isRefusal = (error: unknown) =>
          error instanceof Problem && error.code === 'invalid-input' && error.faults[0]?.pointer === '/recipient';
        await assert.rejects(issueQuarters(service, { recipient, amount: asQuarters(1) }), isRefusal);
      }),
    );
  }
});
