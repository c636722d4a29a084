import type { Service } from '../usecases/service.ts';
import { webhookSender } from '../usecases/system/send-webhooks.ts';
import { type Loop, repeat } from './repeat.ts';

const PAUSE_MS = 500;

/** Tells apps what happened. */
export function webhookLoop(service: Service, firstAfterMs: number): Loop {
  const sender = webhookSender(service, () => loop.wake());
  const loop: Loop = repeat('webhooks', service.log, PAUSE_MS, () => sender.sendDue(), firstAfterMs);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await sender.idle();
    },
  };
}
