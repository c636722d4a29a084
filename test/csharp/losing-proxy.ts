import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { atEnd } from '../kit/unit/at-end.ts';

/**
 * A proxy before the service that loses the first replies to a deed: the service has done it, and the caller does not learn so.
 * `losses`: how many replies to the n-th deed are lost.
 */
export async function startLosingProxy(t: TestContext, target: string, losses: (deed: number) => number) {
  const left = new Map<string, number>();
  const proxy = { url: '', lost: 0 };
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { host, connection, 'content-length': length, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(target + request.url, {
      method: request.method!,
      headers,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    const key = headers['idempotency-key'] ?? '';
    if (!left.has(key)) left.set(key, key === '' ? 0 : losses(left.size));
    const more = left.get(key)!;
    left.set(key, more - 1);
    if (more > 0) {
      proxy.lost++;
      return void response.destroy();
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(t, () => {
    server.close();
    server.closeAllConnections();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
