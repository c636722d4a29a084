import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { atEnd } from '../unit/at-end.ts';

export type Received = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Parsed. */
  readonly event: { type: string; timestamp: string; data: { sequence: number; [field: string]: unknown } };
};

type Answering = (response: ServerResponse, request: IncomingMessage, received: Received) => void;

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** Sets how it answers from now on. */
  answer: Answering;
};

/** An app's server, with a certificate if one is given. It answers events with 204 unless the test sets something else. */
export async function startReceiver(t: TestContext, tls?: { key: string; cert: string }): Promise<Receiver> {
  const receiver: { url: string; received: Received[]; answer: Answering } = {
    url: '',
    received: [],
    answer: (response) => response.writeHead(204).end(),
  };
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    const received = { id: headers['webhook-id'] ?? '', headers, body, event: JSON.parse(body) };
    receiver.received.push(received);
    receiver.answer(response, request, received);
  };
  const server = tls ? createSecureServer(tls, receive) : createServer(receive);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  atEnd(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return receiver;
}

/** Holds responses back from now on, including those after a release. `mostAtOnce`: the most that were held for one endpoint since the last release. */
export function holdAnswers(receiver: Receiver): { mostAtOnce(url: string): number; release(): void } {
  const due = new Map<string, Set<ServerResponse>>();
  const most = new Map<string, number>();
  receiver.answer = (response, { url: path = '' }) => {
    const own = due.get(path) ?? new Set();
    due.set(path, own.add(response));
    most.set(path, Math.max(most.get(path) ?? 0, own.size));
    response.on('close', () => own.delete(response));
  };
  return {
    mostAtOnce: (url) => most.get(new URL(url).pathname) ?? 0,
    release() {
      most.clear();
      for (const responses of due.values()) for (const response of responses) response.writeHead(204).end();
    },
  };
}
