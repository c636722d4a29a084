import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';

/** Connections to receivers, which are kept for further messages: a new one costs several times as much as a message. */
export type Connections = { readonly http: HttpAgent; readonly https: HttpsAgent; close(): void };

/**
 * A connection goes to the address that its receiver's name led to when it was made. It is not kept after this time, and
 * not kept idle for longer, so a name is looked up again after twice this time at the latest.
 */
const KEPT_FOR_MS = 5_000;
/** Idle connections in all: a secure one takes some 50 kB. Many endpoints may be at one receiver. */
const MOST_IDLE = 200;

/** Opens none yet. How many are in use at once is up to the caller. */
export function openConnections(): Connections {
  const idle = new Set<Duplex>();
  const options = { keepAlive: true, maxFreeSockets: MOST_IDLE, timeout: KEPT_FOR_MS };
  const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
  limitKept(http, idle);
  limitKept(https, idle);
  return {
    http,
    https,
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

/** What the documentation of `http.Agent` offers for overriding. The declared type leaves out that it may refuse. */
type Keeping = {
  keepSocketAlive(socket: Duplex): boolean;
  reuseSocket(socket: Duplex, request: Parameters<HttpAgent['reuseSocket']>[1]): void;
};

/** `idle`: the connections that wait for a message, of this agent and of others with the same limit. */
function limitKept(agent: HttpAgent, idle: Set<Duplex>): void {
  const keeping = agent as unknown as Keeping;
  const keepSocketAlive = keeping.keepSocketAlive.bind(agent);
  const reuseSocket = keeping.reuseSocket.bind(agent);
  const firstKeptAt = new WeakMap<Duplex, number>();
  keeping.keepSocketAlive = (socket) => {
    const now = performance.now();
    const firstAt = firstKeptAt.get(socket) ?? now;
    if (idle.size >= MOST_IDLE || now - firstAt >= KEPT_FOR_MS || !keepSocketAlive(socket)) return false;
    if (!firstKeptAt.has(socket)) {
      firstKeptAt.set(socket, now);
      socket.once('close', () => idle.delete(socket));
    }
    idle.add(socket);
    return true;
  };
  keeping.reuseSocket = (socket, request) => {
    idle.delete(socket);
    reuseSocket(socket, request);
  };
}
