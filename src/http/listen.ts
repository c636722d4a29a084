import dns from 'node:dns/promises';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Opens a server's port and resolves when it listens, and not before: a server that is closed while it begins to listen ends the process
 * by an exception. `localhost` is listened to on each of its addresses (IPv4 and IPv6), and what arrives at any of them is
 * the one server's: its limits and time-outs hold, which they do not in the further servers the framework would make. `setting`: what
 * chooses the port. Throws readable Errors.
 */
export async function listen(
  app: FastifyInstance,
  { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
): Promise<void> {
  const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host];
  const doors: Server[] = [];
  // New connections are refused first; the responses under way end before the rest is closed.
  app.addHook('preClose', async () => {
    for (const door of doors) door.close();
  });
  app.addHook('onClose', async () => {
    await Promise.all(doors.map((door) => new Promise((resolve) => door.close(resolve))));
  });
  await app.listen({ host: first, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') {
      throw new Error(`Port ${port} is in use: set ${setting} to another one.`);
    }
    throw new Error(`Port ${port} on ${host} cannot be opened: ${error.message}`);
  });
  const address = app.server.address();
  if (address === null || typeof address === 'string') return;
  for (const other of others) {
    const door = await openDoor(app, other, address.port);
    if (door) doors.push(door);
  }
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  return [...new Set(found.map(({ address }) => address))];
}

/** Null where it cannot be opened: a machine may know an address by name that it has not. */
async function openDoor(app: FastifyInstance, host: string, port: number): Promise<Server | null> {
  // As Node.js makes its own HTTP servers; a connection may be handed to one ("connection" of http.Server).
  const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket));
  return new Promise((resolve) => {
    door.on('error', () => resolve(null));
    door.listen({ host, port }, () => resolve(door));
  });
}
