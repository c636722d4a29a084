/**
 * Measures what a service does with three times the load that it can settle: how much it refuses, what it still settles, and how soon
 * its answers are as fast as before. Linux. Alone: `node bench/overload.ts`.
 */
import { availableParallelism } from 'node:os';
import type { Claim, Effort, Figure } from './claim.ts';
import type { LoadOrder, LoadResult } from './load-generator.ts';
import { addLoads, openPayments, settledPerSecond } from './payments.ts';
import { processorTimeBetween } from './processor-time.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const CONNECTIONS = 256;
const TIMES = 3;
/** Callers that do not wait for each other. */
const OVERLOAD_CONNECTIONS = 2_000;
/** An answer counts as normal again at this multiple of the p50 before. */
const NORMAL = 1.5;
const NORMAL_WITHIN_MS = 60_000;

const WHY_LESS = 'The callers, who share the two cores, take what is missing.';

type Order = LoadOrder<'transfer'>;

async function measureOverload(effort: Effort): Promise<Figure[]> {
  // Empty: the default. One app alone may reach it here. A short load would not.
  const stage = await startStage({ MAX_BACKLOG: effort.quick ? '2000' : '' });
  try {
    const { appId, people: _, ...payer } = await stage.createPayer(effort.quick ? 100 : 1_000);
    const payments = await openPayments(stage, appId);
    const order: Order = { port: stage.port, flow: 'transfer', data: payer, connections: CONNECTIONS };
    await payments.settle(stage.load.run({ ...order, seconds: 3 }));
    const atPeak = await withCpu(stage, () =>
      payments.settle(stage.load.run({ ...order, seconds: Math.min(10, effort.seconds) })),
    );
    const peak = settledPerSecond(atPeak.result);
    const half = { ...order, rate: peak / 2 };
    const { p50: normal } = await payments.settle(stage.load.run({ ...half, seconds: 5 }));

    const crowd = { ...order, rate: peak * TIMES, connections: OVERLOAD_CONNECTIONS, seconds: effort.seconds };
    const run = overloaded(stage, crowd, half, normal);
    const full = await payments.settle(
      run.then(({ all }) => all),
      -1,
      { mayCut: true },
    );
    const { overload, callers, recoveredAfter } = await run;
    const refusals = refusalsOnly(stage, order, Math.min(10, effort.seconds));
    await payments.settle(refusals.then(({ all }) => all));
    const { service, load } = (await refusals).cpu;
    await payments.verify();

    const settled = settledPerSecond(full);
    const left = {
      name: 'the peak before, on what callers leave',
      value: (peak * (1 - callers)) / (1 - atPeak.callers),
    };
    const percent = (part: number, whole: number) => ({ value: (part / whole) * 100, unit: '%' });
    const limit = { name: 'the peak before', value: peak };
    return [
      { name: 'settled', value: settled, unit: '/s', limit, target: '≥ 85 %', whyMissed: WHY_LESS },
      { name: 'settled, callers apart', value: settled, unit: '/s', limit: left },
      { name: 'the machine that callers took', ...percent(callers, 1) },
      { name: 'the machine that callers took at the peak', ...percent(atPeak.callers, 1) },
      { name: 'arrived', value: overload.turns / effort.seconds, unit: '/s' },
      { name: 'refused with 503 and Retry-After', ...percent(overload.refused, overload.turns) },
      { name: 'without an answer: the connection was closed', ...percent(overload.cut, overload.turns) },
      { name: 'CPU of the service for a refusal', value: service, unit: 'ms', target: '≤ 0.03' },
      { name: 'CPU of its caller', value: load, unit: 'ms' },
      { name: 'answer to an accepted call, p50', value: overload.p50, unit: 'ms' },
      { name: 'answer to an accepted call, p99', value: overload.p99, unit: 'ms' },
      { name: 'answer before, p50 at half the peak', value: normal, unit: 'ms' },
      { name: 'normal again after', value: recoveredAfter / 1000, unit: 's', target: '≤ 5' },
    ];
  } finally {
    await stage.stop();
  }
}

/** The overload, and then half the peak until its answers are as fast as before. */
async function overloaded(stage: Stage, crowd: Order, half: Order, normal: number) {
  const { result: overload, callers } = await withCpu(stage, () => stage.load.run(crowd));
  const probes: LoadResult[] = [];
  for (;;) {
    const probe = await stage.load.run({ ...half, seconds: 1 });
    probes.push(probe);
    const isNormal = probe.refused === 0 && probe.p50 <= normal * NORMAL;
    if (!isNormal && probe.ended - overload.ended <= NORMAL_WITHIN_MS) continue;
    const recoveredAfter = isNormal ? probe.began - overload.ended : Number.POSITIVE_INFINITY;
    return { overload, callers, recoveredAfter, all: addLoads(overload, ...probes) };
  }
}

/** While the chain stands, the backlog fills. Then all that the service does for callers is refusing. */
async function refusalsOnly(stage: Stage, order: Order, seconds: number) {
  process.kill(stage.chain.pid, 'SIGSTOP');
  try {
    const loads: LoadResult[] = [];
    do loads.push(await stage.load.run({ ...order, seconds: 2 }));
    while (loads.at(-1)!.accepted > 0);
    const { result, cpu } = await withCpu(stage, () => stage.load.run({ ...order, seconds }));
    if (result.accepted > 0) throw new Error(`${result.accepted} were accepted by a full backlog.`);
    return {
      cpu: { service: cpu.service! / result.turns, load: cpu.load! / result.turns },
      all: addLoads(result, ...loads),
    };
  } finally {
    process.kill(stage.chain.pid, 'SIGCONT');
  }
}

/** `cpu`: in milliseconds by group. `callers`: the part of the machine that the load generator took. */
async function withCpu<Result extends LoadResult>(stage: Stage, run: () => Promise<Result>) {
  const before = stage.processorTime();
  const result = await run();
  const cpu = processorTimeBetween(before, stage.processorTime());
  return { result, cpu, callers: cpu.load! / (result.ended - result.began) / availableParallelism() };
}

export const overload: Claim = {
  name: 'overload',
  title: 'Three times the load that it can settle',
  method: `The peak is that of ${CONNECTIONS} connections, each with one call in flight. Then calls arrive at random (Poisson) at ${TIMES} times \
the peak, over up to ${OVERLOAD_CONNECTIONS} connections. Waiting for a free one counts. MAX_BACKLOG is the default. Normal again: the p50 of a \
second at half the peak is at most ${NORMAL} times that of before, and nothing is refused. Callers are one process with its own CPU time; apart: the peak of the part of the machine that they leave. A refusal's CPU is that of ${CONNECTIONS} connections while the backlog is full and the chain stands. Afterwards every accepted transfer is paid exactly \
once, every call without an answer once or never, and the audit finds no difference.`,
  measure: measureOverload,
};

if (import.meta.main) await runAlone(overload);
