import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { answersAt } from './answer.ts';
import { clientAddress } from './rate-limits.ts';

/** The time between two warnings for one reason, so that clients cannot fill the log. */
const WARNINGS_APART_MS = 60_000;

export type ConnectionLimits = {
  readonly most: number;
  /** The most for one client (IPv6: one /64); null: no limit. */
  readonly mostPerAddress: number | null;
};

/**
 * Closes connections over the limits as they arrive, before reading anything. `warn` is called with the reason, at most once a
 * minute for each.
 */
export function limitConnections(
  server: Server,
  { most, mostPerAddress }: ConnectionLimits,
  warn: (setting: 'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_ADDRESS', open: number) => void,
): void {
  const lastWarned = new Map<string, number>();
  const ofAddress = new Map<string, number>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const address = mostPerAddress === null ? null : countedAddress(socket);
    const sameAddress = address === null ? 0 : (ofAddress.get(address) ?? 0);
    if (open >= most) return refuse(socket, 'MAX_CONNECTIONS', open);
    if (address !== null && sameAddress >= mostPerAddress!) {
      return refuse(socket, 'MAX_CONNECTIONS_PER_ADDRESS', sameAddress);
    }
    open++;
    if (address !== null) ofAddress.set(address, sameAddress + 1);
    socket.once('close', () => {
      open--;
      if (address === null) return;
      const left = ofAddress.get(address)! - 1;
      if (left > 0) ofAddress.set(address, left);
      else ofAddress.delete(address);
    });
  });

  function refuse(socket: Socket, setting: Parameters<typeof warn>[0], reached: number): void {
    socket.destroy();
    const now = performance.now();
    if (now - (lastWarned.get(setting) ?? Number.NEGATIVE_INFINITY) < WARNINGS_APART_MS) return;
    lastWarned.set(setting, now);
    warn(setting, reached);
  }
}

/** Null if the connection is already gone. */
function countedAddress({ remoteAddress: ip }: Socket): string | null {
  return ip === undefined ? null : clientAddress({ ip });
}

/** A request that has not arrived in full by then, headers and body, is refused with 408. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node.js looks for late requests. */
const CHECKED_EVERY_MS = 1_000;

/** Connection options for the framework and its Node.js server. `publicUrl`: the address players use. `isStopping`: of `answersAt`. */
export function connectionOptions(publicUrl: string, isStopping = () => false) {
  return {
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      ServerResponse: answersAt(publicUrl, isStopping),
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Its default is a minute, and a requestTimeout below that has no effect.
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECKED_EVERY_MS,
    },
  };
}
