// The server of docs/integrate/unity.md: what a game on a device needs of one.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { QuartersServer } from 'quarters-sdk';

const app = JSON.parse(readFileSync('app.json', 'utf8'));
const url = 'http://localhost:8080';
const quarters = new QuartersServer({ url, serverKey: app.serverKey, appAddress: app.address });
const given = new Set();

const routes = {
  '/guest': async () => {
    const guest = await quarters.createGuest();
    const once = { idempotencyKey: `welcome-${guest.user_id}`, waitSeconds: 10 };
    await quarters.pay({ user: guest.user_id, amount: 100 }, once);
    return { accessToken: guest.access_token, pageToken: guest.firebase_token };
  },

  // Reads the payment before it gives a shield. A device can be made to say anything.
  // Yours also checks that `userId` is the player who asks.
  '/bought': async ({ requestId }) => {
    const { status, tokens } = await quarters.request(requestId);
    const isPaid = ['approved', 'submitted', 'completed'].includes(status) && tokens === 25;
    if (isPaid) given.add(requestId);
    return { hasShield: isPaid };
  },
};

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  try {
    const route = routes[request.url];
    const answer = await route(JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  } catch (error) {
    console.error(error.message);
    response.writeHead(500).end();
  }
}).listen(3000, 'localhost', () => console.log('My server is at http://localhost:3000'));
