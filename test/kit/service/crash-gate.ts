import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy to a server that keeps one address wherever the server is, and can be shut. */
export type Gate = {
  readonly port: number;
  /** Sends connections to this port from now on; existing ones are cut. */
  leadTo(port: number): void;
  /** Refuses connections, or accepts them again. Existing ones are cut. */
  shut(shut: boolean): void;
  /** Cuts the connection that next sends this text, before the server receives it. */
  cutAt(text: string): void;
  /** Cuts the connection that next sends this text, when the server has answered. The answer is lost. */
  loseReplyTo(text: string): void;
  /**
   * From now on, or when somebody sends this text, nothing gets through and nobody is informed, as if the other end had
   * vanished.
   */
  fallSilent(at?: string): void;
  readonly cuts: number;
  close(): void;
};

export async function openGate(target: number): Promise<Gate> {
  let port = target;
  let closed = false;
  let cutText: string | null = null;
  let lostText: string | null = null;
  let silentText: string | null = null;
  let silent = false;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((client) => {
    if (closed) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    let isLosing = false;
    client.on('data', (data) => {
      if (lostText !== null && data.includes(lostText)) {
        lostText = null;
        cuts++;
        isLosing = true;
      }
      silent ||= silentText !== null && data.includes(silentText);
      if (silent) return;
      if (cutText !== null && data.includes(cutText)) {
        cutText = null;
        cuts++;
        client.destroy();
        upstream.destroy();
      } else upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isLosing) client.destroy();
      else if (!silent) client.write(data);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(next) {
      port = next;
      cutAll();
    },
    shut(now) {
      closed = now;
      if (now) cutAll();
    },
    fallSilent(at) {
      if (at === undefined) silent = true;
      else silentText = at;
    },
    cutAt(text) {
      cutText = text;
    },
    loseReplyTo(text) {
      lostText = text;
    },
    get cuts() {
      return cuts;
    },
    close() {
      server.close();
      cutAll();
    },
  };
}
