import cluster, { type Worker } from 'node:cluster';
import type { ShownService } from '../../../process/start-screen.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** A worker as its supervisor has it. */
export type WorkerProcess = {
  readonly worker: Worker;
  /** Resolves when the worker answers calls. Rejects with a sentence if it ends before that. */
  readonly ready: Promise<ShownService>;
  /** Resolves when the process has ended. `fault`: why it could not start, or why no worker can go on; otherwise null. */
  readonly ended: Promise<WorkerEnd>;
};

export type WorkerEnd = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly fault: string | null;
  /** No worker can start or go on. */
  readonly isFinal: boolean;
};

/**
 * Starts one worker. `answer` is asked what to tell it when it has loaded, and `hear` gets everything else it says.
 */
export function forkWorker(
  number: number,
  answer: () => ToWorker,
  hear: (worker: Worker, message: FromWorker) => void,
): WorkerProcess {
  const worker = cluster.fork();
  closeUntaken(worker);
  const ready = Promise.withResolvers<ShownService>();
  const ended = Promise.withResolvers<WorkerEnd>();
  let [isReady, isFinal, fault] = [false, false, null as string | null];
  const end = (code: number | null, signal: string | null, reason: string) => {
    ended.resolve({ code, signal, fault: isReady && !isFinal ? null : reason, isFinal });
    ready.reject(new Error(reason));
  };
  worker.on('error', (error) => {
    // A process that was never made has no exit. Otherwise a message went to a worker that has just died, and its exit follows.
    if (worker.process.pid === undefined) end(null, null, `Worker ${number} cannot be started: ${error.message}.`);
  });
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'hello') return tellWorker(worker, answer());
    if (message.kind === 'fault') ({ message: fault, isFinal } = message);
    if (message.kind === 'ready') {
      isReady = true;
      ready.resolve(message.shown);
    }
    hear(worker, message);
  });
  worker.once('exit', (code, signal) =>
    end(code, signal, fault ?? `Worker ${number} ended with ${signal ?? code} before it was ready.`),
  );
  // Who replaces a worker looks at `ended` only.
  ready.promise.catch(() => {});
  return { worker, ready: ready.promise, ended: ended.promise };
}

export function tellWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

const LOOKS_EVERY_MS = 50;

/**
 * Closes the connections that a worker was given, and has not taken when it dies. node:cluster forgets them: they would stay open in this
 * process, and their callers would wait for answers that nobody gives.
 *
 * A message that gives a connection has a number, which the worker's answer repeats (`lib/internal/cluster` of Node.js). The last answers
 * may be read after the exit, so the channel has to be at its end. While a connection is not taken, that end is no event.
 */
function closeUntaken({ process }: Worker): void {
  const given = new Map<number, { close(): void }>();
  const send = process.send.bind(process) as (...args: unknown[]) => boolean;
  process.send = (message: { readonly act?: string; readonly seq?: number }, ...rest: unknown[]) => {
    if (message.act === 'newconn') given.set(message.seq!, rest[0] as { close(): void });
    return send(message, ...rest);
  };
  process.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) given.delete(ack);
  });
  process.once('exit', function close() {
    if (process.connected) setTimeout(close, LOOKS_EVERY_MS).unref();
    else for (const connection of given.values()) connection.close();
  });
}
