import { type AddressInfo, createServer } from 'node:net';

/** Finds a free TCP port of 127.0.0.1. Another process may take it first, so callers retry on "address in use". */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
