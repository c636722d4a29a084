import type { Emulator } from '../emulator.ts';
import { type Control, object } from './control.ts';

const SHOWN = 30;
const BLOCKS = 8n;
const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };
const TIME = { type: 'string', format: 'date-time' };
const list = (of: Record<string, unknown>) => ({ type: 'array', items: object(of, Object.keys(of)) });

const HAPPENED = object(
  {
    calls: list({ at: TIME, method: TEXT, path: TEXT, status: { type: ['integer', 'null'] }, ms: COUNT }),
    requests: list({ id: TEXT, app: TEXT, player: TEXT, amount: COUNT, status: TEXT, at: TIME }),
    events: list({
      id: TEXT,
      app: TEXT,
      type: TEXT,
      request: { type: ['string', 'null'] },
      delivered: COUNT,
      waiting: COUNT,
      at: TIME,
    }),
    blocks: list({ number: COUNT, hash: TEXT, transactions: COUNT, at: TIME }),
  },
  ['calls', 'requests', 'events', 'blocks'],
);

async function happened({ world, calls }: Emulator): Promise<object> {
  const { query } = world.service.db;
  const [requests, events, blocks] = await Promise.all([
    query<{ amount: bigint }>(
      `SELECT id, app_id AS app, user_id AS player, amount, status, created_at AS at FROM requests ORDER BY created_at DESC, id DESC LIMIT $1`,
      [SHOWN],
    ),
    query<{ delivered: bigint; waiting: bigint }>(
      `SELECT id, app_id AS app, type, request_id AS request, events.created_at AS at,
              count(delivered_at) AS delivered, count(next_attempt_at) AS waiting
         FROM events LEFT JOIN deliveries ON event_id = id GROUP BY id ORDER BY position DESC, id DESC LIMIT $1`,
      [SHOWN],
    ),
    newestBlocks(world),
  ]);
  return {
    calls: calls.list().slice(0, SHOWN),
    requests: requests.map((row) => ({ ...row, amount: Number(row.amount) })),
    events: events.map((row) => ({ ...row, delivered: Number(row.delivered), waiting: Number(row.waiting) })),
    blocks,
  };
}

type Block = { number: string; hash: string; timestamp: string; transactions: readonly unknown[] };

/** Of the node itself, which the service may be cut off from. */
async function newestBlocks({ rpc }: Emulator['world']): Promise<object[]> {
  const head = BigInt(await rpc.call<string>('eth_blockNumber', []));
  const numbers = Array.from({ length: Number(head < BLOCKS ? head + 1n : BLOCKS) }, (_, i) => head - BigInt(i));
  const blocks = await Promise.all(
    numbers.map((number) => rpc.call<Block>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])),
  );
  return blocks.map(({ number, hash, timestamp, transactions }) => ({
    number: Number(number),
    hash,
    transactions: transactions.length,
    at: new Date(Number(timestamp) * 1000).toISOString(),
  }));
}

export const HAPPENED_CONTROLS: readonly Control[] = [
  {
    operationId: 'readHappened',
    method: 'GET',
    path: '/happened',
    says: 'The newest calls, requests, events and blocks.',
    result: HAPPENED,
    run: happened,
  },
];
