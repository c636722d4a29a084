import { randomInt } from 'node:crypto';
import dns from 'node:dns/promises';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

type Port = { readonly host: string; readonly port: number; readonly setting: string };

/** Throws if another program has the port. Before a start prepares anything: what takes the port later is seen by `listen`. */
export async function requireFreePort(named: Port): Promise<void> {
  const { host, port } = named;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.on('error', (error) => reject(portFault(error, named)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
}

function portFault(error: NodeJS.ErrnoException, { host, port, setting }: Port): Error {
  if (error.code === 'EADDRINUSE') return new Error(`Port ${port} is in use: set ${setting} to another one.`);
  return new Error(`Port ${port} on ${host} cannot be opened: ${error.message}`);
}

/**
 * Opens a server's port and resolves once it listens: a server that is closed before that ends the process with an
 * exception. `localhost` listens on each of its addresses (IPv4 and IPv6). Connections to all of them go to the one server, so
 * that its limits and time-outs hold; the framework's own extra servers would not have them. `setting`: the name of the setting
 * that chooses the port.
 */
export async function listen(app: FastifyInstance, { host, port, setting }: Port): Promise<void> {
  const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host];
  const listeners: Server[] = [];
  // New connections are refused first. Responses under way end before the server is closed.
  app.addHook('preClose', async () => {
    for (const listener of listeners) listener.close();
  });
  app.addHook('onClose', async () => {
    await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))));
  });
  await app.listen({ host: first, port }).catch((error: NodeJS.ErrnoException) => {
    throw portFault(error, { host, port, setting });
  });
  const address = app.server.address();
  if (address === null || typeof address === 'string') return;
  for (const other of others) {
    const listener = await openListener(app, other, address.port);
    if (listener) listeners.push(listener);
  }
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  return [...new Set(found.map(({ address }) => address))];
}

/** Null if it cannot be opened: a machine's names may include addresses that it does not have. */
async function openListener(app: FastifyInstance, host: string, port: number): Promise<Server | null> {
  // The options that Node.js uses for its HTTP servers, which accept connections by the event "connection".
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  );
  return new Promise((resolve) => {
    listener.on('error', () => resolve(null));
    listener.listen({ host, port }, () => resolve(listener));
  });
}

const GRACE_MS = 10_000;

/**
 * Refuses new connections and waits up to ten seconds for responses under way, then cuts them off. Without this limit, one
 * client that stops reading would keep the service from stopping.
 */
export async function closeHttp(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}

/**
 * Finds a free TCP port of 127.0.0.1, below those that systems give to outgoing connections: until a server listens on it, any
 * of these may take one. Another server still may, so callers retry on "address in use".
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
