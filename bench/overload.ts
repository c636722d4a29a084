/**
 * Measures what a service does with three times the load that it can settle: how much it refuses, what it still settles, and how soon
 * its answers are as fast as before. Linux. Alone: `node bench/overload.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import type { LoadResult } from './load-generator.ts';
import { addLoads, openPayments, settledPerSecond } from './payments.ts';
import { runAlone } from './run.ts';
import { startStage } from './stage.ts';

const CONNECTIONS = 256;
const TIMES = 3;
/** Callers that do not wait for each other. */
const OVERLOAD_CONNECTIONS = 2_000;
/** An answer counts as normal again at this multiple of the p50 before. */
const NORMAL = 1.5;
const NORMAL_WITHIN_MS = 60_000;

const WHY_LESS = 'Callers, answers to what is refused, and payments share two cores.';
const WHY_LATER =
  'Up to 20,000 accepted transfers are settled first, which MAX_BACKLOG allows, while half the load goes on.';

async function measureOverload(effort: Effort): Promise<Figure[]> {
  // Empty: the default. One app alone may reach it here. A short load would not.
  const stage = await startStage({ MAX_BACKLOG: effort.quick ? '2000' : '' });
  try {
    const { appId, people: _, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order = { port: stage.port, flow: 'transfer', data: payer, connections: CONNECTIONS } as const;
    await payments.settle(stage.load.run({ ...order, seconds: 3 }));
    const peak = settledPerSecond(
      await payments.settle(stage.load.run({ ...order, seconds: Math.min(10, effort.seconds) })),
    );
    const half = { ...order, rate: peak / 2 };
    const { p50: normal } = await payments.settle(stage.load.run({ ...half, seconds: 5 }));

    const loads: LoadResult[] = [];
    let recoveredAfter = Number.POSITIVE_INFINITY;
    const full = await payments.settle(
      (async () => {
        const crowd = { rate: peak * TIMES, connections: OVERLOAD_CONNECTIONS, seconds: effort.seconds };
        const overload = await stage.load.run({ ...order, ...crowd });
        loads.push(overload);
        while (recoveredAfter === Number.POSITIVE_INFINITY) {
          const probe = await stage.load.run({ ...half, seconds: 1 });
          loads.push(probe);
          if (probe.refused === 0 && probe.p50 <= normal * NORMAL) recoveredAfter = probe.began - overload.ended;
          else if (probe.ended - overload.ended > NORMAL_WITHIN_MS) break;
        }
        return addLoads(overload, ...loads.slice(1));
      })(),
      -1,
      { mayCut: true },
    );
    await payments.verify();
    const [overload] = loads as [LoadResult];
    const share = (part: number, whole: number) => (part / whole) * 100;
    const limit = { name: 'the peak before', value: peak };
    return [
      { name: 'settled', value: settledPerSecond(full), unit: '/s', limit, target: '≥ 90 %', whyMissed: WHY_LESS },
      { name: 'arrived', value: overload.turns / effort.seconds, unit: '/s' },
      { name: 'refused with 503 and Retry-After', value: share(overload.refused, overload.turns), unit: '%' },
      { name: 'without an answer: the connection was closed', value: share(overload.cut, overload.turns), unit: '%' },
      { name: 'answer to an accepted call, p50', value: overload.p50, unit: 'ms' },
      { name: 'answer to an accepted call, p99', value: overload.p99, unit: 'ms' },
      { name: 'answer before, p50 at half the peak', value: normal, unit: 'ms' },
      { name: 'normal again after', value: recoveredAfter / 1000, unit: 's', target: '≤ 5', whyMissed: WHY_LATER },
    ];
  } finally {
    await stage.stop();
  }
}

export const overload: Claim = {
  name: 'overload',
  title: 'Three times the load that it can settle',
  method: `The peak is that of ${CONNECTIONS} connections, each with one call in flight. Then calls arrive at random (Poisson) at ${TIMES} times \
the peak, over up to ${OVERLOAD_CONNECTIONS} connections. Waiting for a free one counts. MAX_BACKLOG is the default. Normal again: the p50 of a \
second at half the peak is at most ${NORMAL} times that of before, and nothing is refused. Afterwards every accepted transfer is paid exactly \
once, every call without an answer once or never, and the audit finds no difference.`,
  measure: measureOverload,
};

if (import.meta.main) await runAlone(overload);
