import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

test('/metrics counts payments once they are accepted, and once the chain has paid them', async (t) => {
  const s = await startTestService(t);
  const read = async () => {
    const text = await (await fetch(`${s.origin}/metrics`)).text();
    return new Map(
      text.split('\n').flatMap((line) => {
        const [, name, value] = /^quarters_(\S+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, Number(value)] as const];
      }),
    );
  };
  const before = await read();
  assert.equal(before.get('transfers_accepted_total{kind="issue"}'), 0);
  assert.equal(before.get('transfer_completion_seconds_count'), 0);
  assert.equal(before.get('oldest_open_transfer_seconds'), 0);

  const app = await s.createApp();
  await s.issue(app.id, 1_000);
  const guest = await s.createGuest(app);
  const pay = (quarters: number) =>
    s.app.inject({
      method: 'POST',
      url: `/v1/accounts/${app.address}/transfer`,
      headers: { authorization: `Bearer ${app.serverKey}` },
      payload: { user: guest.userId, amount: quarters },
    });
  assert.equal((await pay(300)).statusCode, 200);
  assert.equal((await pay(5_000)).statusCode, 402);
  // The process counts a moment after the COMMIT that others see.
  await until('both are counted', () => s.service.meters.settled.get('completed')!.count === 2);

  const after = await read();
  const figures = (...names: string[]) => names.map((name) => after.get(name));
  assert.deepEqual(
    figures('transfers_accepted_total{kind="issue"}', 'accepted_quarters_total{kind="issue"}'),
    [1, 1_000],
  );
  assert.deepEqual(
    figures('transfers_accepted_total{kind="payout"}', 'accepted_quarters_total{kind="payout"}'),
    [1, 300],
  );
  assert.equal(after.get('settled_quarters_total{outcome="completed"}'), 1_300);
  assert.equal(after.get('transfer_completion_seconds_bucket{le="+Inf"}'), 2);
  assert.equal(after.get('transfer_completion_seconds_count'), 2);
  assert.ok(after.get('transfer_completion_seconds_sum')! >= 0);
  assert.deepEqual(figures('transfers_held_quarters', 'oldest_open_transfer_seconds'), [0, 0]);
  assert.equal(after.get('webhook_deliveries_total{result="delivered"}'), 0);
});
