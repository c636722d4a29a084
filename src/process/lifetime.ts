import type { Logger } from 'pino';
import { RpcUnreachable } from '../chain/rpc.ts';
import { isUnavailable } from '../db/database.ts';
import type { House } from '../service/house.ts';
import { type Closers, type Ending, openClosers } from './shutdown.ts';

/** A part that dies cuts its connections first. Its exit is seen a moment later. */
const LOSS_SHOWS_WITHIN_MS = 1_000;
/** How long a step of the start may take to notice that its resources were closed. */
const STEP_ENDS_WITHIN_MS = 5_000;

/** What every step of a start has: where it writes, what it must close, and how the process ends. */
export type Lifetime = {
  readonly log: Logger;
  readonly house: House;
  readonly say: (line: string) => void;
  readonly closers: Closers;
  readonly ending: Ending;
};

/**
 * Runs the steps of a start, waits until the process is to end, and closes everything in order. `hold` takes what must be held until
 * all is closed. Throws the fault that ended the process. A stop that was asked for resolves.
 */
export async function runToEnd(
  { log, house, say, ending }: Omit<Lifetime, 'closers'>,
  bringUp: (life: Lifetime) => Promise<void>,
  hold: () => Promise<{ release(): void }> = async () => ({ release() {} }),
): Promise<void> {
  const closers = openClosers((error) => log.error({ err: error }, 'a part did not stop in order'));
  const held = await hold();
  const starting = bringUp({ log, house, say, closers, ending }).catch(async (error: Error) => {
    const mayBeLoss = isUnavailable(error) || error instanceof RpcUnreachable;
    if (mayBeLoss) await within(LOSS_SHOWS_WITHIN_MS, ending.reached);
    ending.reach(error);
  });

  const fault = await ending.reached;
  if (!fault) say('Stopping …');
  await closers.close();
  const stepIsOver = await within(STEP_ENDS_WITHIN_MS, starting);
  ending.closed();
  if (!stepIsOver) {
    // Everything is closed, so a step that still waits, for the chain say, is cut off. It may still write to the folder, so
    // the lock is released only when the process ends.
    if (fault) log.fatal({ err: fault }, 'the service has ended');
    process.exit(fault ? 1 : 0);
  }
  held.release();
  if (fault) throw fault;
  say('Stopped.');
}

/** Resolves to whether `work` has settled in time. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const settled = work.then(() => true as const);
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}
