import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { explainError } from '../../../cli/explain-error.ts';
import { RELEASE } from '../../../config/release.ts';
import type { Settings } from '../../../config/settings.ts';
import { countedBy, type ProcessCounts } from '../../../http/process-counts.ts';
import { IncompatibleRelease } from '../../../membership/join.ts';
import { drain } from '../../../process/drain.ts';
import { runToEnd } from '../../../process/lifetime.ts';
import { quietStart } from '../../../process/logging.ts';
import type { Program } from '../../../process/program.ts';
import { serve, shownOf } from '../../../process/serve.ts';
import { openEnding } from '../../../process/shutdown.ts';
import type { House } from '../../../service/house.ts';
import type { Service } from '../../../service/service.ts';
import { markStarted } from '../../../settlement/readiness.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

type Begin = Extract<ToWorker, { kind: 'begin' }>;

/**
 * One worker of a supervisor: a whole service process, without what a start has only once. It ends when the supervisor says so, and at
 * once when the channel to the supervisor closes, whatever ended that process.
 */
export async function work(settings: Settings, allLog: Logger, { giveEther }: Program, house: House): Promise<void> {
  const begin = Promise.withResolvers<Begin | null>();
  const stop = Promise.withResolvers<{ readonly isTermination: boolean }>();
  let service: Service | null = null;
  let isStarted = false;
  let logAll = () => {};
  let total: PromiseWithResolvers<ProcessCounts | null> | null = null;
  const tellCounts = () => {
    if (service) tell({ kind: 'counts', counted: countedBy(service) });
  };
  const hear = (message: ToWorker) => {
    switch (message.kind) {
      case 'begin':
        return begin.resolve(message);
      case 'stop':
        begin.resolve(null);
        return stop.resolve(message);
      case 'started':
        isStarted = true;
        logAll();
        if (service) markStarted(service);
        return;
      case 'count':
        return tellCounts();
      case 'total':
        total?.resolve(message.total);
        total = null;
    }
  };
  process.on('message', hear);
  tell({ kind: 'hello' });
  const begun = await begin.promise;
  if (begun) {
    const { number, place } = begun;
    process.title = `quarters worker ${number}`;
    const log = allLog.child({ worker: number });
    logAll = quietStart(log, process.stdout);
    if (isStarted) logAll();
    const ending = openEnding(log, { isWorker: true });
    void stop.promise.then(({ isTermination }) => ending.reach(null, isTermination));
    const collect = (own: ProcessCounts) => {
      // Callers that come meanwhile share the answer.
      if (!total) tell({ kind: 'collect' });
      total ??= Promise.withResolvers();
      return total.promise.then((all) => all ?? own);
    };
    try {
      requireVersion(begun.version);
      await runToEnd({ log, house, say() {}, ending }, async (life) => {
        const chain =
          place.embedded.chain && giveEther ? { onSent: () => tell({ kind: 'sent' }), giveEther } : undefined;
        service = await serve(shareOf(settings), life, place, chain, collect);
        if (isStarted) markStarted(service);
        const its = service;
        await life.closers.opened(() => drain(its, ending, life.say));
        tell({ kind: 'ready', shown: await shownOf(service) });
      });
    } catch (error) {
      const isFinal = error instanceof IncompatibleRelease;
      await said({ kind: 'fault', message: explainError(error).text, isFinal });
      process.exit(1);
    }
    tellCounts();
  }
  cluster.worker!.disconnect();
}

/** Somebody may have put another version into the folder since the supervisor was started. */
function requireVersion(ofSupervisor: string): void {
  if (RELEASE.version === ofSupervisor) return;
  throw new Error(
    `The files here are of version ${RELEASE.version}, and version ${ofSupervisor} runs. Restart the service to change to them.`,
  );
}

/** The limits of a start are divided: connections are handed out in turn. */
function shareOf(settings: Settings): Settings {
  const { workers, maxConnections, maxConnectionsPerAddress } = settings;
  return {
    ...settings,
    maxConnections: Math.ceil(maxConnections / workers),
    maxConnectionsPerAddress: Math.ceil(maxConnectionsPerAddress / workers),
  };
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function said(message: FromWorker): Promise<void> {
  return new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));
}
