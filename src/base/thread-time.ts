import { AsyncLocalStorage } from 'node:async_hooks';

/** Receives how many milliseconds the thread has worked for it. */
export type ChargeTime = (milliseconds: number) => void;

const accounts = new AsyncLocalStorage<ChargeTime | undefined>();
let current: ChargeTime | undefined;
let since = 0;

/**
 * Runs `work`, and everything it awaits, on somebody's account. What counts is the thread's own time, from each {@link resumed} until the
 * thread turns to something else: waiting does not count.
 */
export function onAccountOf<T>(charge: ChargeTime, work: () => T): T {
  return accounts.run(charge, () => {
    resumed();
    return work();
  });
}

/** Whether the current work is on somebody's account. */
export function isOnAccount(): boolean {
  return accounts.getStore() !== undefined;
}

/** Runs work that several share on nobody's account. */
export function onNobodysAccount<T>(work: () => T): T {
  return accounts.run(undefined, work);
}

/** Call it where work goes on that has waited: after each statement of the database, and with each request. */
export function resumed(): void {
  const next = accounts.getStore();
  if (next === current) return;
  stop();
  if (!next) return;
  current = next;
  since = performance.now();
  // A tick that a microtask asks for comes when none of this callback's microtasks is left, and before the next callback.
  queueMicrotask(() => process.nextTick(stop));
}

function stop(): void {
  current?.(performance.now() - since);
  current = undefined;
}
