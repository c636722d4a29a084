import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { atEnd, type Ending } from '../kit/unit/at-end.ts';

/** A way to a database that can be cut: from then on connections break, and new ones end at once. */
export type DatabaseWay = { readonly url: string; isOpen: boolean };

export async function openDatabaseWay(t: Ending, databaseUrl: string): Promise<DatabaseWay> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (!isOpen) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.close();
    destroyAll();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href,
    get isOpen() {
      return isOpen;
    },
    set isOpen(open) {
      isOpen = open;
      if (!open) destroyAll();
    },
  };
}
