import { connect, type Socket } from 'node:net';

export type Reply = { readonly status: number; readonly head: string; readonly body: string };

export type Call = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly bearer?: string;
  /** Sent as JSON, unless `form` says otherwise. */
  readonly body?: string;
  readonly form?: boolean;
  readonly headers?: string;
};

/** The connection ended before the answer was complete, so its outcome is unknown. */
export class ConnectionCut extends Error {}

/**
 * A keep-alive connection with one call in flight, on a raw socket: a load generator shares the machine with what it
 * measures, so it must cost little. It reads answers with a content-length only (RFC 9112, section 6.3).
 */
export type Connection = { ask(call: Call): Promise<Reply>; close(): void };

/** A server may close a connection that was idle for longer, in the very moment of our call. Careful clients open a new one. */
const REUSE_WITHIN_MS = 2_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

export function openConnection(port: number): Connection {
  let socket: Socket | undefined;
  let lastUsed = 0;
  let received: Buffer[] = [];
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined;

  const opened = (): Socket => {
    const fresh = connect({ port, host: '127.0.0.1', noDelay: true });
    received = [];
    const lost = (error?: Error) => {
      if (socket !== fresh) return;
      socket = undefined;
      const asker = waiting;
      waiting = undefined;
      asker?.reject(new ConnectionCut(error?.message ?? 'the connection was closed'));
    };
    fresh.on('data', (chunk: Buffer) => {
      received.push(chunk);
      const reply = readReply(received.length === 1 ? chunk : Buffer.concat(received));
      if (!reply) return;
      received = [];
      lastUsed = performance.now();
      if (/\r\nconnection: close/i.test(reply.head)) {
        socket = undefined;
        fresh.destroy();
      }
      const asker = waiting;
      waiting = undefined;
      asker?.resolve(reply);
    });
    fresh.on('error', lost);
    fresh.on('close', () => lost());
    return fresh;
  };

  const close = () => {
    const old = socket;
    socket = undefined;
    old?.destroy();
  };

  return {
    ask: (call) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        if (socket && performance.now() - lastUsed > REUSE_WITHIN_MS) close();
        if (!socket) {
          socket = opened();
          lastUsed = performance.now();
        }
        socket.write(writeCall(call));
      }),
    close,
  };
}

function writeCall({ method, path, bearer, body, form, headers = '' }: Call): string {
  const authorization = bearer === undefined ? '' : `authorization: Bearer ${bearer}\r\n`;
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
  const content = body === undefined ? '' : `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${authorization}${content}${headers}\r\n${body ?? ''}`;
}

/** Null while it is not complete. */
function readReply(bytes: Buffer): Reply | null {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const from = end + END_OF_HEAD.length;
  if (bytes.length < from + length) return null;
  return { status: Number(head.slice(9, 12)), head, body: bytes.toString('utf8', from, from + length) };
}
