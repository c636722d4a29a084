import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Service } from '../service/service.ts';
import { markStopping } from '../settlement/readiness.ts';
import type { Ending } from './shutdown.ts';

/** With a proxy in front. Proxies usually look at `/readyz` every second or two, and believe the second red answer. */
const DRAIN_BEHIND_PROXY_SECONDS = 5;

/**
 * Turns `/readyz` red, and goes on serving until proxies have noticed. Only SIGTERM is worth the wait: at a terminal nobody waits for a
 * proxy, and after a fault the process should not serve. Call it first of all that a stop does.
 */
export async function drain(service: Service, ending: Ending, say: (line: string) => void): Promise<void> {
  markStopping(service);
  const seconds = announceDrain(service.settings, ending, say);
  if (seconds > 0) await delay(seconds * 1000);
}

/** Says that the service goes on for a while, if it does, and returns for how many seconds. */
export function announceDrain(
  { drainSeconds, trustProxy }: Settings,
  { isTermination }: Ending,
  say: (line: string) => void,
): number {
  const seconds = drainSeconds ?? (trustProxy > 0 ? DRAIN_BEHIND_PROXY_SECONDS : 0);
  if (!isTermination || seconds === 0) return 0;
  say(`Serving for ${seconds} more seconds, so that proxies send new calls elsewhere (DRAIN_SECONDS) …`);
  return seconds;
}
