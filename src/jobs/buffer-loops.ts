import type { Service } from '../service/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** How long developers wait until they see a call, and operators until they see a refusal. */
const PAUSE_MS = 1_000;

/** Writes what waits in memory. When the loop stops, it writes what is left, once. */
export function bufferLoop(service: Service, name: string, write: () => Promise<void>): Loop {
  const once = async () => {
    await write();
    return false;
  };
  const loop = repeat(name, service, PAUSE_MS, once, PAUSE_MS);
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await write().catch((err: unknown) => service.log.warn({ err }, `the last of the ${name} was not written`));
    },
  };
}
