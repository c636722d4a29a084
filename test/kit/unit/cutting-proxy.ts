import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy to PostgreSQL that can lose the reply to one COMMIT: the server commits, the client sees a broken
 * connection.
 */
export type CuttingProxy = { readonly url: string; cutNextCommit(): void; readonly cuts: number; close(): void };

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed = false;
  let cuts = 0;

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    let cutting = false;
    client.on('data', (data) => {
      if (armed && data.includes('COMMIT\0')) {
        armed = false;
        cutting = true;
        cuts++;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      // The reply proves that the server has committed; the client never sees it.
      if (cutting) client.destroy();
      else client.write(data);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    cutNextCommit: () => {
      armed = true;
    },
    get cuts() {
      return cuts;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
