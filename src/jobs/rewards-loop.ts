import { grantEarned } from '../features/rewards/grant-earned.ts';
import type { Service } from '../settlement/service.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 1_000;

/** Grants earned rewards, shortly after they are earned. Returns no loop if every rule is off. */
export function rewardsLoop(service: Service, firstAfterMs: number): Loop[] {
  const { welcomeReward, rewardSharePercent } = service.settings;
  if (welcomeReward === 0n && rewardSharePercent === 0) return [];
  const grant = async () => !service.readiness.suspended && grantEarned(service);
  return [repeat('rewards', service.log, PAUSE_MS, grant, firstAfterMs)];
}
