import type { LookupFunction } from 'node:net';
// A third of the library: all of it takes four times as long to load.
import Client from 'undici/lib/dispatcher/client.js';

/** One to the receiver of an origin (`https://game.example:8443`). It carries one message at a time. */
export type Connection = {
  readonly origin: string;
  readonly client: InstanceType<typeof Client>;
  /** A message was answered on it. */
  wasAnswered: boolean;
};

/** Connections to receivers, which are kept for further messages: a new one costs several times as much as a message. */
export type Connections = {
  /** One that was kept for this origin, or a new one. It connects with its first message. */
  take(origin: string): Connection;
  /** A new one. */
  open(origin: string): Connection;
  /** Keeps it for another message, or closes it. Only after a whole answer. */
  keep(connection: Connection): void;
  /** Closes it, and gives up its message. One that is still connecting ends when its time is over. */
  drop(connection: Connection): void;
  /** Closes what is kept, and what is kept later. */
  close(): void;
};

/**
 * A connection goes to the address that its receiver's name led to when it was made. It is not kept after this time, and
 * not kept idle for longer, so a name is looked up again after twice this time at the latest.
 */
const KEPT_FOR_MS = 5_000;
/** Idle connections in all: a secure one takes some 50 kB. Many endpoints may be at one receiver. */
const MOST_IDLE = 200;
/** Soon after any message is given up. */
const CONNECTED_WITHIN_MS = 11_000;

type Kept = Connection & { firstKeptAt: number | null; idleSince: number | null };

/** Opens none yet. How many are in use at once is up to the caller. `lookup`: where names lead. */
export function openConnections(lookup: LookupFunction): Connections {
  const idle = new Map<string, Kept[]>();
  let idleCount = 0;
  let isClosed = false;

  const drop = (connection: Connection) => void connection.client.destroy().catch(() => {});
  const forget = (kept: Kept) => {
    kept.idleSince = null;
    idleCount--;
    const others = idle.get(kept.origin)!;
    // The one that was kept last is used first.
    if (others.at(-1) === kept) others.pop();
    else others.splice(others.indexOf(kept), 1);
    if (others.length === 0) idle.delete(kept.origin);
  };

  const open = (origin: string): Kept => {
    const client = new Client(origin, {
      connect: { lookup, timeout: CONNECTED_WITHIN_MS },
      allowH2: false,
      keepAliveTimeout: KEPT_FOR_MS,
      keepAliveMaxTimeout: KEPT_FOR_MS,
      // A message has one time limit for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const kept: Kept = { origin, client, wasAnswered: false, firstKeptAt: null, idleSince: null };
    client.on('connect', () => {
      kept.wasAnswered = false;
    });
    client.on('disconnect', () => {
      if (kept.idleSince === null) return;
      forget(kept);
      drop(kept);
    });
    return kept;
  };

  return {
    open,
    drop,
    take(origin) {
      for (;;) {
        const kept = idle.get(origin)?.at(-1);
        if (!kept) return open(origin);
        const isOld = performance.now() - kept.idleSince! >= KEPT_FOR_MS;
        forget(kept);
        if (!isOld) return kept;
        drop(kept);
      }
    },
    keep(connection) {
      const kept = connection as Kept;
      const now = performance.now();
      kept.firstKeptAt ??= now;
      if (isClosed || idleCount >= MOST_IDLE || now - kept.firstKeptAt >= KEPT_FOR_MS) return drop(kept);
      kept.idleSince = now;
      idleCount++;
      const others = idle.get(kept.origin);
      if (others) others.push(kept);
      else idle.set(kept.origin, [kept]);
    },
    close() {
      isClosed = true;
      for (const all of idle.values()) for (const kept of [...all]) drop(kept);
    },
  };
}
