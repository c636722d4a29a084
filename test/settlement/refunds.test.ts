import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TransferId } from '../../src/base/ids.ts';
import { lazily } from '../../src/base/lazily.ts';
import { refundRequest } from '../../src/features/payments/refund-request.ts';
import type { Service } from '../../src/service/service.ts';
import { readRequest } from '../../src/views/requests/read-requests.ts';
import { asAdmin, PAUSE, UNPAUSE } from '../kit/service/admin.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { cancelTransfer } from '../kit/service/operator-acts.ts';
import { type Accepted, type Scenario, startScenario } from '../kit/service/scenario.ts';
import { asApp } from '../kit/unit/callers.ts';
import { until } from '../kit/unit/until.ts';

/** A guest has paid the game 60, and the ledger knows the outcome. */
async function paidSixty(s: Scenario): Promise<Accepted> {
  await s.completed(await s.pay(0, 100));
  const spent = await s.spend(0, 60);
  await s.completed(spent);
  return spent;
}

const refund = (s: Scenario, { requestId }: Accepted) => refundRequest(s.service, asApp(s.game.id), { requestId });
const view = (s: Scenario, { requestId }: Pick<Accepted, 'requestId'>) =>
  readRequest(s.service, asApp(s.game.id), requestId);

async function finish(s: Scenario): Promise<void> {
  await s.calm();
  await assertLedgerIsChain(s.service);
}

describe('refunds', { concurrency: 2 }, () => {
  test('a refund cancelled on the chain can be made again, but not before the cancellation is mined', async (t) => {
    const s = await startScenario(t);
    const paid = await paidSixty(s);
    await asAdmin(s, PAUSE);
    const { requestId } = await refund(s, paid);
    const [transfer] = await s.service.db.query<{ id: TransferId }>('SELECT id FROM transfers WHERE request_id = $1', [
      requestId,
    ]);
    await assert.rejects(refund(s, paid), { code: 'refund-too-large' });
    const cancelled = lazily(async () => {
      await cancelTransfer(s.service, transfer!.id);
      await until('it has failed', async () => (await view(s, { requestId })).status === 'failed');
    });
    // Nothing was left when the refund was asked for, so nothing is paid, although quarters are free again when it is
    // decided.
    const late: Service = {
      ...s.service,
      async accept(order) {
        await cancelled();
        return s.service.accept(order);
      },
    };
    const asked = refundRequest(late, asApp(s.game.id), { requestId: paid.requestId });
    await assert.rejects(asked, { code: 'refund-too-large' });
    await cancelled();
    assert.equal((await view(s, paid)).refunded, 0n);
    await asAdmin(s, UNPAUSE);
    const again = await refund(s, paid);
    await until('it is paid', async () => (await view(s, again)).status === 'completed');
    assert.equal((await view(s, paid)).refunded, 60n);
    await finish(s);
  });

  test('a payment reverted by a reorganisation is refunded only after it is paid again', async (t) => {
    const s = await startScenario(t);
    const paid = await paidSixty(s);
    await s.calm();
    await s.faulty.stopMining();
    await s.faulty.reorganise(1);
    await until('it is taken back', async () => (await view(s, paid)).status === 'submitted');
    await assert.rejects(refund(s, paid), { code: 'not-refundable' });
    s.faulty.startMining();
    await s.completed(paid);
    await refund(s, paid);
    await finish(s);
    assert.equal((await view(s, paid)).refunded, 60n);
  });
});
