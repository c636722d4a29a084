import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashColumn } from '../../src/db/columns.ts';
import { createGuest } from '../../src/features/guests/create-guest.ts';
import { notInTurn } from '../kit/run/turns.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { commit, crashCases } from '../kit/service/crash-points.ts';
import type { KillPoint } from '../kit/service/crash-service.ts';
import { provokeDeath } from '../kit/service/crash-stage.ts';
import { openWorldFromSnapshot } from '../kit/service/crash-world.ts';
import { asApp } from '../kit/unit/callers.ts';

const LINES = 1_000;

type Line = { requestId?: string; txId?: string };

test('kill -9 in the middle of a bulk payout: repeating the call pays the rest, each line once', {
  skip: notInTurn(4, 'kills of a bulk payout'),
}, async (t) => {
  const world = await openWorldFromSnapshot(t, { env: { IN_FLIGHT_WINDOW: '1000' } });
  const first = await world.startReady();
  await world.settled();
  const app = await world.createApp();
  await world.issue(app.id, 2_000_000);
  await world.settled();
  await first.stop();
  const service = await world.operator();
  const guests = await Promise.all(Array.from({ length: 5 }, () => createGuest(service, asApp(app.id))));

  // "Before a group's COMMIT" means after the COMMIT of the previous group.
  for (const when of Object.values(crashCases<KillPoint['when']>({ after: 'after' }, { before: 'before' }))) {
    await t.test(`${when} the COMMIT of a group in the middle`, async () => {
      // Each line has its own amount, which identifies it.
      const transfers = Array.from({ length: LINES }, (_, i) => ({ amount: i + 1, user: guests[i % 5]!.userId }));
      const pay = async (origin: string) => {
        const response = await fetch(`${origin}/v1/accounts/${app.address}/transfers`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${app.serverKey}`,
            'content-type': 'application/json',
            'idempotency-key': `prizes ${when}`,
          },
          body: JSON.stringify({ transfers }),
        });
        return { status: response.status, lines: ((await response.json()) as { transfers: Line[] }).transfers };
      };
      const paid = async (lines: readonly Line[]) =>
        service.db.query<{ request_id: string; amount: bigint; tx_hash: string }>(
          `SELECT request_id, transfers.amount, ${hashColumn('tx_hash')} AS tx_hash FROM transfers JOIN requests ON requests.id = request_id
            WHERE requests.id = ANY($1::uuid[])`,
          [lines.map(({ requestId }) => requestId)],
        );
      const count = async () =>
        Number(
          (await service.db.query<{ n: bigint }>('SELECT count(*) AS n FROM requests WHERE app_id = $1', [app.id]))[0]!
            .n,
        );
      const before = await count();

      // A group has at most 400 lines, so some remain after two.
      const point = commit(when, 'INSERT INTO transfers', 2);
      const doomed = await world.start({ killPoint: point });
      await provokeDeath(doomed, point, ({ origin }) => pay(origin));
      const done = (await count()) - before;
      assert.ok(done > 0 && done < LINES, `${done} lines were decided before`);

      await world.leasesRunOut();
      const healed = await world.startReady();
      const { status, lines } = await pay(healed.origin);
      assert.equal(status, 200);
      assert.deepEqual((await pay(healed.origin)).lines, lines);
      await world.settled();
      assert.equal(await count(), before + LINES);
      const stored = new Map((await paid(lines)).map((transfer) => [transfer.request_id, transfer]));
      for (const [i, { requestId, txId }] of lines.entries()) {
        const { amount, tx_hash } = stored.get(requestId!)!;
        assert.deepEqual([Number(amount), tx_hash], [i + 1, txId]);
      }
      await assertLedgerIsChain(service);
      await healed.stop();
    });
  }
});
