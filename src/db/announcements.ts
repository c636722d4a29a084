import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { endClient } from './client.ts';

export const TOPICS = ['transactions', 'mails', 'deliveries', 'log', 'data keys', 'memory'] as const;

/**
 * What a background loop works on. It is announced when a transaction that adds such work has committed. `memory`: processes read again what
 * they keep in memory.
 */
export type Topic = (typeof TOPICS)[number];

/** Keeps this process's listeners by topic. Listeners must not throw. */
export function announcements() {
  const listeners = new Map<Topic, (() => void)[]>();
  return {
    on(topic: Topic, listener: () => void): void {
      listeners.set(topic, [...(listeners.get(topic) ?? []), listener]);
    },
    announce(topic: Topic): void {
      for (const listener of listeners.get(topic) ?? []) listener();
    },
  };
}

const CHANNEL = 'quarters';
export const NOTIFY = `SELECT pg_notify('${CHANNEL}', topic) FROM unnest($1::text[]) AS topic`;

/** Carries texts from commands to services. PostgreSQL takes up to 8,000 bytes each. */
const NOTES_CHANNEL = 'quarters_notes';
export const SEND_NOTES = `SELECT pg_notify('${NOTES_CHANNEL}', note) FROM unnest($1::text[]) AS note`;

export type Listener = {
  announce(topic: Topic): void;
  /** Receives a text that another process sent to all. Must not throw. */
  onNote(note: string): void;
};

const AGAIN_AFTER_MS = 5_000;

/**
 * Receives announcements and texts from other processes on its own connection, and reconnects after a failure. A connection
 * pooler may swallow notifications, so listeners must also poll from time to time.
 */
export function listenToOthers(
  url: string,
  { announce, onNote }: Listener,
  againAfterMs = AGAIN_AFTER_MS,
): { close(): Promise<void> } {
  const closing = new AbortController();
  const { signal } = closing;

  async function listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'quarters notices',
    });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === NOTES_CHANNEL) {
        onNote(payload);
        return;
      }
      const topic = TOPICS.find((topic) => topic === payload);
      if (topic) announce(topic);
    });
    // A broken connection also emits `end`, which is handled below.
    client.on('error', () => {});
    const ended = once(client, 'end', { signal }).catch(() => {});
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}; LISTEN ${NOTES_CHANNEL}`);
      await ended;
    } finally {
      await endClient(client);
    }
  }

  const listening = (async () => {
    while (!signal.aborted) {
      await listen().catch(() => {});
      await delay(againAfterMs, undefined, { signal, ref: false }).catch(() => {});
    }
  })();
  return {
    close() {
      closing.abort();
      return listening;
    },
  };
}
