import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { atEnd } from './at-end.ts';

export type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  body: string;
};
type Answer = (response: ServerResponse, seen: Seen) => void;

/** A server that answers calls with `answers` in turn, and then repeats the last one. */
export async function flakyServer(t: TestContext, ...answers: Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { method = '', url = '', headers } = request;
    const call: Seen = { method, url, headers, body: '' };
    for await (const chunk of request.setEncoding('utf8')) call.body += chunk;
    seen.push(call);
    (answers[seen.length - 1] ?? answers.at(-1)!)(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** The connection breaks before a response: the caller cannot know the outcome. */
export const lost: Answer = (response) => void response.destroy();

/** A response of a gateway or of a network's login page. */
export const html =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>Not us</h1>');

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json({ type: `urn:quarters:problem:${code}`, code, message: `It is ${code}.`, status }, status, headers);
