import type { Service } from '../usecases/service.ts';
import { attachToChain } from '../usecases/system/attach-chain.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 1_000;
const FIRST_DISTRUST_MS = 1_000;
const MOST_DISTRUST_MS = 600_000;

/** A job that touches the chain: it rests until the node was found to be on our chain, with our contracts. */
export function whileAttached({ readiness }: Service, job: () => Promise<boolean>): () => Promise<boolean> {
  return async () => readiness.chain === 'ok' && job();
}

/**
 * Looks at the node until it is found in order; then nothing is left to do until something shows that it is not. Where what is
 * sent has no effect though every look finds the node in order, it is believed later each time, twice as long, up to ten
 * minutes: not everything is to be sent in vain again and again.
 */
export function attachLoop(service: Service): Loop {
  const { readiness, db, log } = service;
  let inOrderAt = performance.now();
  let distrustMs = 0;
  /** Set while the node is not in order. */
  let lookAt: number | null = null;
  return repeat('attach', log, PAUSE_MS, async () => {
    if (readiness.chain === 'ok') return false;
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
}
