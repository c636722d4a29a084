import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands between the service and its node, so that the node can be away. */
export type NodeGate = {
  /** On a free port of 127.0.0.1. */
  readonly url: string;
  /** While false, connections are cut as by a node that is gone. */
  isOpen: boolean;
  close(): Promise<void>;
};

export async function openNodeGate(nodeUrl: string): Promise<NodeGate> {
  const agent = new Agent({ keepAlive: true });
  const { host } = new URL(nodeUrl);
  const pass = (from: IncomingMessage, to: ServerResponse) => {
    const headers = { ...from.headers, host };
    const passed = request(nodeUrl, { method: from.method ?? 'POST', headers, agent }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    passed.on('error', () => to.destroy());
    from.pipe(passed);
  };
  const server = createServer((from, to) => {
    if (gate.isOpen) pass(from, to);
    else from.socket.destroy();
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gate: NodeGate = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isOpen: true,
    async close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
  return gate;
}
