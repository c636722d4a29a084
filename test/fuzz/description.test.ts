import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { seedOf } from '../kit/run/seed.ts';
import { perTier } from '../kit/run/tier.ts';
import { assertLedgerIsChain } from '../kit/service/audit.ts';
import { startTestService } from '../kit/service/service.ts';
import { answerOf, type Description, describedBy, operationsOf } from '../kit/unit/description.ts';
import { isOfApi } from '../kit/unit/response-validator.ts';
import { until } from '../kit/unit/until.ts';
import { callsOf, type Planned } from './arbitraries.ts';
import { openStage } from './stage.ts';

/** The number of calls; FUZZ_RUNS overrides it. */
const CALLS = perTier({ usual: 1_000, all: 10_000 }, 'FUZZ_RUNS');
/** The first calls are the same in every run. The rest differ, unless FUZZ_SEED or the run's seed is given. */
const SAME = Math.min(500, CALLS);
const PASSES = [
  { seed: 1, calls: SAME },
  { seed: seedOf('fuzz'), calls: CALLS - SAME },
].filter(({ calls }) => calls > 0);
/** A few calls need not reach every outcome: a refund needs an earlier payment. */
const MAY_MISS = perTier({ usual: 5, all: 0 });
const ROW = 40;
const LANES = 8;
const DEADLINE_MS = 3 * 60_000;
/** Far more than needed, so that a busy machine does not matter. A call that hangs is found by its own deadline. */
const timeout = Math.max(600_000, CALLS * 60);

test('any call gets a described response, and the ledger still equals the chain', { timeout }, async (t) => {
  const s = await startTestService(t, {
    env: { GUESTS_PER_DAY: '1000000', AUTO_APPROVE_PER_DAY: '1000000', AUTO_APPROVE_PER_TRANSFER: '1000' },
  });
  const supply = async () =>
    (await s.service.db.query<{ sum: bigint }>('SELECT sum(posted)::bigint AS sum FROM accounts'))[0]!.sum;
  const stage = await openStage(s);
  await s.settled();
  const before = await supply();
  const description = (await s.app.inject('/openapi.json')).json<Description>();
  const judge = describedBy(description);
  const seen = new Map<string, number>();

  const send = async (planned: Planned) => {
    const call = stage.call(planned);
    const answer = answerOf(await withinDeadline(s.app.inject(call), planned));
    const { status, headers, body } = answer;
    const fault = isOfApi(answer) && judge(answer);
    const isBusy = status === 503 && headers['retry-after'] !== undefined;
    assert.ok(!fault && (status < 500 || isBusy), `${fault ?? body}\n${JSON.stringify(call)}`);
    stage.learn(planned, answer);
    const kind = `${planned.operationId} ${status}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  };

  const row = fc.array(callsOf(description), { minLength: ROW, maxLength: ROW });
  const sent = fc.asyncProperty(row, async (calls) => {
    const waiting = calls.values();
    const lane = async () => {
      for (const planned of waiting)
        await Promise.all(planned.twice ? [send(planned), send(planned)] : [send(planned)]);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  });
  for (const { seed, calls } of PASSES) {
    t.diagnostic(`${calls} calls, FUZZ_SEED=${seed}`);
    await fc.assert(sent, { seed, numRuns: Math.ceil(calls / ROW), endOnFailure: true, reporter: tell });
  }

  const counts = [...seen].sort().map(([kind, count]) => `${kind} × ${count}`);
  t.diagnostic(`${[...seen.values()].reduce((a, b) => a + b, 0)} calls: ${counts.join(', ')}`);
  const successes = operationsOf(description).map(
    ({ operation }) => `${operation.operationId} ${Object.keys(operation.responses)[0]}`,
  );
  const missed = successes.filter((success) => !seen.has(success));
  assert.ok(missed.length <= MAY_MISS, `it never came to ${missed.join(', ')}`);
  await s.settled();
  await assertLedgerIsChain(s.service);
  assert.equal(await supply(), before, 'quarters came from nowhere');
  // Connections of the loops come and go.
  await until('no transaction is open', async () => {
    const open = await s.service.db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );
    return open.length === 0;
  });
});

/** Reports only the call that failed, not all that were sent with it. */
function tell({ failed, seed, errorInstance }: fc.RunDetails<[Planned[]]>): void {
  if (failed) throw new Error(`FUZZ_SEED=${seed}`, { cause: errorInstance });
}

async function withinDeadline(
  work: Promise<LightMyRequestResponse>,
  planned: Planned,
): Promise<LightMyRequestResponse> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer: ${JSON.stringify(planned)}`)), DEADLINE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
