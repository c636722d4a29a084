import { giveDueTestQuarters } from '../features/apps/test-quarters.ts';
import { grantEarned } from '../features/rewards/grant-earned.ts';
import type { Service } from '../service/service.ts';
import { watchEndpoints } from '../settlement/attach.ts';
import { gasCounter } from '../settlement/count-gas.ts';
import { watchGas } from '../settlement/gas.ts';
import { arePaymentsHalted } from '../settlement/may-act.ts';
import { maySend } from '../settlement/readiness.ts';
import { reviewTip } from '../settlement/tips.ts';
import { type Loop, repeat } from './repeat.ts';

/** A loop with one job, which resolves with true if more work is waiting. */
export type PlainLoop = {
  readonly name: string;
  /** False: it is left out. */
  readonly isOn?: boolean;
  readonly pauseMs: number;
  readonly firstAfterMs: number;
  readonly job: () => Promise<unknown>;
};

/** `turn` separates the first runs of loops that are not urgent. */
export function plainLoops(service: Service, turn: (place: number) => number): PlainLoop[] {
  const { rpc, development, settings } = service;
  const isRewarding = settings.welcomeReward > 0n || settings.rewardSharePercent > 0;
  const isChoosing = (rpc.endpoints?.all.length ?? 1) > 1;
  const watch = whileAttached(service, () => reviewTip(service).then(() => watchGas(service)));
  const count = whileAttached(service, gasCounter(service));
  const rewards = async () => !arePaymentsHalted(service) && grantEarned(service);
  const testQuarters = async () => !arePaymentsHalted(service) && giveDueTestQuarters(service);
  return [
    { name: 'endpoints', isOn: isChoosing, pauseMs: 5_000, firstAfterMs: 5_000, job: () => watchEndpoints(service) },
    { name: 'gas', pauseMs: 10_000, firstAfterMs: 0, job: watch },
    // As the economy is counted.
    { name: 'gas costs', pauseMs: 15_000, firstAfterMs: 3_000, job: count },
    { name: 'rewards', isOn: isRewarding, pauseMs: 1_000, firstAfterMs: turn(3), job: rewards },
    // For new apps, which did not get them when they were registered.
    { name: 'test quarters', isOn: development, pauseMs: 5_000, firstAfterMs: turn(3), job: testQuarters },
  ];
}

export function startLoop(service: Service, { name, pauseMs, firstAfterMs, job }: PlainLoop): Loop {
  return repeat(name, service, pauseMs, async () => (await job()) === true, firstAfterMs);
}

/** Wraps a job that needs the chain. It pauses until the node is known to be on our chain, with our contracts, and not ahead of the database. */
export function whileAttached<T>({ readiness }: Service, job: () => Promise<T>): () => Promise<T | false> {
  return async () => maySend(readiness) && job();
}
