import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Where the node itself listens. */
export type NodePlace = { readonly host: string; readonly port: number };

/**
 * Ports that browsers never connect to, for pages and WebSockets alike (Fetch, "port blocking"), and that need no rights. The node listens on
 * one of them: it answers to any page that can reach it, through a WebSocket or a name that leads to this machine (DNS rebinding).
 */
const BLOCKED_PORTS = [10080, 6697, 6679, 6669, 6668, 6667, 6666, 6665, 6566, 6000, 5061, 5060, 4190, 4045, 3659];

/** Where a node may listen, in the order of trying. Linux has a network of loopback addresses, so there the first one is free. */
export function nodePlaces(): NodePlace[] {
  const part = () => 1 + Math.floor(Math.random() * 254);
  const host = process.platform === 'linux' ? `127.${part()}.${part()}.${part()}` : '127.0.0.1';
  return BLOCKED_PORTS.map((port) => ({ host, port }));
}

export type NodeGuard = {
  /** On a free port of 127.0.0.1. */
  readonly url: string;
  close(): void;
};

const REFUSAL = 'This node takes JSON-RPC by POST, from programs of this machine only.\n';
const REFUSED = `HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${REFUSAL.length}\r\n\r\n${REFUSAL}`;
const END_OF_HEAD = '\r\n\r\n';
const MOST_HEAD_BYTES = 16_384;

/**
 * Passes connections of programs on to the node. The first request decides, the others cost nothing: a browser has no connection that begins
 * with a POST without an `Origin` to this very host. A WebSocket begins with a GET.
 */
export async function guardNode(node: NodePlace): Promise<NodeGuard> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    let head = Buffer.alloc(0);
    open.add(client);
    client.once('close', () => open.delete(client));
    client.on('error', () => {});
    client.on('data', function take(bytes: Buffer) {
      head = Buffer.concat([head, bytes]);
      if (!head.includes(END_OF_HEAD) && head.length < MOST_HEAD_BYTES) return;
      client.off('data', take).pause();
      if (!isOfProgram(head.toString('latin1'), portOf())) return client.end(REFUSED);
      const passed = connect({ ...node, noDelay: true });
      passed.write(head);
      // Without the node, callers see what they would see of the node: a connection that ends.
      pipeline(client, passed, client, () => {});
    });
  });
  const portOf = () => (server.address() as AddressInfo).port;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf()}`,
    close() {
      server.close();
      for (const client of open) client.destroy();
    },
  };
}

function isOfProgram(text: string, port: number): boolean {
  const [first = '', ...headers] = text.split(END_OF_HEAD, 1)[0]!.toLowerCase().split('\r\n');
  const valuesOf = (name: string) =>
    headers.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trim());
  const [host, ...others] = valuesOf('host');
  const isOurs = others.length === 0 && (host === `127.0.0.1:${port}` || host === `localhost:${port}`);
  return text.includes(END_OF_HEAD) && first.startsWith('post ') && valuesOf('origin').length === 0 && isOurs;
}
