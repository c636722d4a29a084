/**
 * Loaded in each test process before `node:test`, which follows every promise and timer to know the test of an unhandled
 * error and the suite around a test. That is a sixth of the processor time of a process that awaits much.
 */
import hooks, { type AsyncHook } from 'node:async_hooks';

const { createHook } = hooks;
const tracking: AsyncHook[] = [];
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  tracking.push(hook);
  return hook;
};

/** To be called when all suites and tests are defined. From now on an unhandled error fails the process and not its test. */
export function stopTracking(): void {
  for (const hook of tracking) hook.disable();
}
