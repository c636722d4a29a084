import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

const ENDS_WITHIN_MS = 1_000;

/** Ends a connection in order. If the other end no longer answers, the socket is destroyed: it would never end. */
export async function endClient(client: pg.Client): Promise<void> {
  const ended = client.end().then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, delay(ENDS_WITHIN_MS, false, { ref: false })])) return;
  // The driver's types leave out its socket.
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
