/**
 * The process that receives webhooks for `background.ts`. Paths that begin with `/slow` are answered after seconds. It ends when its
 * parent has gone.
 */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const SLOW_MS = 5_000;

let received = 0;
const server = createServer(async (request, response) => {
  request.resume();
  if (request.url?.startsWith('/slow')) await delay(SLOW_MS);
  received++;
  response.writeHead(204).end();
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address?.port);
});
// Each question is answered with how many came so far.
process.on('message', () => process.send?.(received));
process.on('disconnect', () => process.exit(1));
