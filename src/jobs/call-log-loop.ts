import { callWriter } from '../features/calls/write-calls.ts';
import type { Service } from '../settlement/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** How long a call waits until developers see it. */
const PAUSE_MS = 1_000;

/** Writes the log of calls. When it stops, it writes what is left, once. */
export function callLogLoop(service: Service): Loop {
  const write = callWriter(service);
  const writing = async () => {
    await write();
    return false;
  };
  const loop = repeat('call log', service.log, PAUSE_MS, writing, PAUSE_MS);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await write().catch((err: unknown) => service.log.warn({ err }, 'the last calls were not logged'));
    },
  };
}
