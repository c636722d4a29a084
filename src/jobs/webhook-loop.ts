import { webhookSender } from '../features/webhooks/send-webhooks.ts';
import type { Service } from '../settlement/service.ts';
import { type Loop, repeat } from './repeat.ts';

/** New deliveries are announced. Polling finds those that are due again and those of a process that died. */
const PAUSE_MS = 2_000;

/** Delivers webhooks to apps. */
export function webhookLoop(service: Service, firstAfterMs: number): Loop {
  const sender = webhookSender(service, () => loop.wake());
  const loop: Loop = repeat('webhooks', service.log, PAUSE_MS, () => sender.sendDue(), firstAfterMs);
  service.db.onAnnounced('deliveries', loop.wake);
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await sender.idle();
    },
  };
}
