import { awaited, literal } from './js-literal.ts';

/** The values of a call's example. */
export type ExampleValues = {
  /** Inputs beside the body, by name. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** `asks`: the client needs the app's id. */
type SdkCall = {
  readonly client: 'server' | 'player';
  readonly asks?: true;
  readonly write: (values: ExampleValues) => string;
};

/**
 * The client library's method for a call, by `operationId`. Calls without one are shown with `fetch`. test/api/docs-examples.test.ts
 * runs every example, and compares what it sends with the description.
 */
export const SDK_CALLS: Readonly<Record<string, SdkCall>> = {
  getMe: { client: 'player', write: () => awaited('const me = ', 'player.me') },
  listAccounts: { client: 'player', write: () => awaited('const account = ', 'player.account') },
  getBalance: {
    client: 'player',
    write: ({ inputs }) => awaited('const { quarters } = ', 'player.balance', inputs.address),
  },
  getRewards: {
    client: 'player',
    write: ({ inputs }) => awaited('const { rewardAmount } = ', 'player.reward', inputs.address),
  },
  createGuest: { client: 'server', write: () => awaited('const guest = ', 'server.createGuest') },
  createGuestTokens: {
    client: 'server',
    write: ({ inputs }) => awaited('const tokens = ', 'server.createGuestTokens', inputs.id),
  },
  createRequest: {
    client: 'server',
    asks: true,
    write: ({ body: { appId: _, ...asking } }) => awaited('const request = ', 'server.ask', asking),
  },
  listRequests: { client: 'server', write: ({ inputs: { userId } }) => each('request', 'server.requests', { userId }) },
  getRequest: {
    client: 'server',
    write: ({ inputs }) => awaited('const { status } = ', 'server.request', inputs.id),
  },
  autoApproveRequest: {
    client: 'player',
    write: ({ inputs: { id }, body: { userId, address } }) =>
      awaited('const { txId } = ', 'player.autoApprove', { id, userId }, address),
  },
  cancelRequest: {
    client: 'server',
    write: ({ inputs }) => awaited('const request = ', 'server.cancel', inputs.id),
  },
  refundRequest: {
    client: 'server',
    write: ({ inputs, body }) => awaited('const { txId } = ', 'server.refund', inputs.id, body, keyOf(inputs)),
  },
  transfer: {
    client: 'server',
    write: ({ inputs, body }) => awaited('const { txId } = ', 'server.pay', body, keyOf(inputs)),
  },
  transferToMany: {
    client: 'server',
    write: ({ inputs, body }) => awaited('const outcomes = ', 'server.payMany', body.transfers, keyOf(inputs)),
  },
  listTransfers: {
    client: 'server',
    write: ({ inputs: { requestId } }) => each('transfer', 'server.transfers', { requestId }),
  },
  listEvents: { client: 'server', write: () => each('event', 'server.events') },
  redeliverEvent: { client: 'server', write: ({ inputs }) => awaited('', 'server.redeliver', inputs.id) },
  addWebhookEndpoint: {
    client: 'server',
    write: ({ body }) => awaited('const { secret } = ', 'server.addWebhookEndpoint', body),
  },
};

/** The library makes a random key, which covers its own retries. For payments an example shows one that outlives the process. */
function keyOf(inputs: ExampleValues['inputs']): { idempotencyKey: unknown } {
  return { idempotencyKey: inputs['Idempotency-Key'] };
}

function each(name: string, method: string, filter?: object): string {
  return `for await (const ${name} of ${method}(${filter ? literal(filter) : ''})) {\n  console.log(${name});\n}`;
}

/** For the webhook that an app receives. */
export const RECEIVE_EVENT = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { verifyWebhook } from 'quarters-sdk';

createServer(async (request, response) => {
  const delivery = await verifyWebhook({
    body: await text(request),
    headers: request.headers,
    secret: '<webhook secret>',
  }).catch(() => null);
  response.writeHead(delivery ? 204 : 400).end();
  if (delivery) console.log(delivery.id, delivery.event.type);
}).listen(3000);`;
