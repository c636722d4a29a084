import type { Service } from '../service/service.ts';
import { attachToChain } from '../settlement/attach.ts';
import { maySend } from '../settlement/readiness.ts';
import { type Loop, repeat } from './repeat.ts';

const ATTACH_PAUSE_MS = 1_000;
const FIRST_DISTRUST_MS = 1_000;
const MOST_DISTRUST_MS = 600_000;

/**
 * Checks the node until it is in order, and rests until something shows that it is not, or that another database server has taken over.
 *
 * A node may pass every check while transactions sent to it have no effect. Each time, the loop then waits twice as long
 * before the next check, up to ten minutes, so that transactions are not sent in vain again and again.
 */
export function attachLoop(service: Service): Loop {
  const { readiness, db } = service;
  let inOrderAt = performance.now();
  let distrustMs = 0;
  /** When to check next. Set while the node is not in order. */
  let lookAt: number | null = null;
  const loop = repeat('attach', service, ATTACH_PAUSE_MS, async () => {
    if (maySend(readiness)) return false;
    const now = performance.now();
    if (lookAt === null && readiness.chain === 'no-effect') {
      const wasTrusted = now - inOrderAt > MOST_DISTRUST_MS;
      distrustMs = wasTrusted ? FIRST_DISTRUST_MS : Math.max(FIRST_DISTRUST_MS, distrustMs * 2);
      lookAt = now + Math.min(distrustMs, MOST_DISTRUST_MS);
    }
    if (now < (lookAt ?? now)) return false;
    if (await attachToChain(service)) {
      inOrderAt = performance.now();
      lookAt = null;
      db.announce('transactions');
    }
    return false;
  });
  db.onServerChange(loop.wake);
  return loop;
}
