import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAppId, newUserId } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import type { Database } from '../../src/db/database.ts';
import { houseOf } from '../../src/service/house.ts';
import { PAYMENT_REFUSED, tellingRefusals } from '../../src/service/moments.ts';
import { openRefusalBuffer } from '../../src/wings/economy/store/refusal-buffer.ts';

describe('the refusals that wait to be written', () => {
  it('are one entry for equal ones, and stay within their bounds', () => {
    const buffer = openRefusalBuffer({ counts: 3, players: 4, playersOfApp: 2 });
    const apps = [newAppId(), newAppId(), newAppId(), newAppId()] as const;
    const users = [newUserId(), newUserId(), newUserId()] as const;
    for (const appId of apps) {
      for (const userId of [...users, ...users]) buffer.note({ kind: 'payout', appId, userId }, 'key-limit');
    }
    const { counts, players } = buffer.take()!;
    assert.deepEqual(
      counts.map(({ appId, count }) => [appId, count]),
      apps.slice(0, 3).map((appId) => [appId, 6]),
    );
    assert.deepEqual(
      players.map(({ appId, userId, times }) => [appId, userId, times]),
      apps.slice(0, 2).flatMap((appId) => users.slice(0, 2).map((userId) => [appId, userId, 2])),
    );
    assert.equal(buffer.take(), null);
  });

  it('come again with the next ones, if they were put back', () => {
    const buffer = openRefusalBuffer();
    const payment = { kind: 'refund', appId: newAppId(), userId: newUserId() } as const;
    buffer.note(payment, 'refund-too-large');
    buffer.putBack(buffer.take()!);
    buffer.note(payment, 'refund-too-large');
    const { counts, players } = buffer.take()!;
    assert.deepEqual([counts.map(({ count }) => count), players.map(({ times }) => times)], [[2], [2]]);
  });

  it('are no failures of ours, and nothing after which the payment may have happened', async () => {
    const buffer = openRefusalBuffer();
    const payment = { kind: 'approval', appId: newAppId(), userId: null } as const;
    const service = {
      db: {} as Database,
      house: houseOf([
        {
          name: 'x',
          mount: (house) => house.add(PAYMENT_REFUSED, (_service, wanted, code) => buffer.note(wanted, code)),
        },
      ]),
    };
    const fail = (error: Error) => assert.rejects(tellingRefusals(service, payment, Promise.reject(error)), error);
    for (const code of ['outcome-unknown', 'database-unavailable', 'confirmation-needed'] as const) {
      await fail(new Problem(code, 'x'));
    }
    await fail(new Error('x'));
    assert.equal(await tellingRefusals(service, payment, Promise.resolve(1)), 1);
    assert.equal(buffer.take(), null);
    await fail(new Problem('account-frozen', 'x'));
    const { counts, players } = buffer.take()!;
    assert.deepEqual([counts.map(({ code }) => code), players], [['account-frozen'], []]);
  });
});
