import { giveDueTestQuarters } from '../features/apps/test-quarters.ts';
import { grantEarned } from '../features/rewards/grant-earned.ts';
import type { Service } from '../service/service.ts';
import { arePaymentsHalted } from '../settlement/may-act.ts';
import { type Loop, repeat } from './repeat.ts';

const REWARDS_PAUSE_MS = 1_000;

/** Grants earned rewards, shortly after they are earned. Returns no loop if every rule is off. */
export function rewardsLoop(service: Service, firstAfterMs: number): Loop[] {
  const { welcomeReward, rewardSharePercent } = service.settings;
  if (welcomeReward === 0n && rewardSharePercent === 0) return [];
  const grant = async () => !arePaymentsHalted(service) && grantEarned(service);
  return [repeat('rewards', service, REWARDS_PAUSE_MS, grant, firstAfterMs)];
}

const TEST_QUARTERS_PAUSE_MS = 5_000;

/** In development mode, gives new apps the test quarters that they did not get when they were registered. */
export function testQuartersLoop(service: Service, firstAfterMs: number): Loop[] {
  if (!service.development) return [];
  const give = async () => !arePaymentsHalted(service) && giveDueTestQuarters(service);
  return [repeat('test quarters', service, TEST_QUARTERS_PAUSE_MS, give, firstAfterMs)];
}
