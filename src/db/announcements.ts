import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { endClient } from './end-client.ts';

export const TOPICS = ['transactions', 'mails', 'deliveries'] as const;

/** What a background loop works on. Announced when a transaction that left some of it to do has committed. */
export type Topic = (typeof TOPICS)[number];

/** Who listens to what, in this process. Listeners must not throw. */
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

/** For texts from commands to services. PostgreSQL takes up to 8,000 bytes each. */
const NOTES_CHANNEL = 'quarters_notes';
export const TELL = `SELECT pg_notify('${NOTES_CHANNEL}', note) FROM unnest($1::text[]) AS note`;

export type Listener = {
  announce(topic: Topic): void;
  /** A text that another process wants all to have. Must not throw. */
  tell(note: string): void;
};

const AGAIN_AFTER_MS = 5_000;

/**
 * Hears what other processes announce and tell, on a connection of its own. One that breaks, or never comes about, is tried again. A
 * connection pooler may swallow notifications: whoever listens must look by himself now and then, too.
 */
export function listenToOthers(
  url: string,
  { announce, tell }: Listener,
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
        tell(payload);
        return;
      }
      const topic = TOPICS.find((topic) => topic === payload);
      if (topic) announce(topic);
    });
    // A connection that breaks says so by its end as well.
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
