/**
 * Measures the cost of counting calls: `GET /v1/me` per second with and without rate limits, in turn. The upper limit is the
 * same server answering `/healthz`. It brings its own database and chain: `node bench/rate-limits.ts`.
 */
import { test } from 'node:test';
import { tokenBuckets } from '../src/base/token-buckets.ts';
import type { RateLimits } from '../src/service/service.ts';
import { startTestService } from '../test/kit/service/service.ts';

const CALLS = Number(process.env.CALLS ?? 20_000);
const AT_ONCE = 32;
const ROUNDS = 3;
const CREDENTIALS = 100;

test(`${CALLS} calls with and without rate limits`, async (t) => {
  const s = await startTestService(t);
  const app = await s.createApp();
  const guests = await Promise.all(Array.from({ length: CREDENTIALS }, () => s.createGuest(app)));
  const limit = () => tokenBuckets({ perSecond: 1_000_000, processes: () => 2 });
  const limits: Record<string, RateLimits> = {
    'GET /v1/me with rate limits': { credentials: limit(), addresses: limit() },
    'GET /v1/me without': { credentials: null, addresses: null },
  };
  const me = (i: number) =>
    s.app.inject({ url: '/v1/me', headers: { authorization: `Bearer ${guests[i % CREDENTIALS]!.accessToken}` } });

  for (let round = 1; round <= ROUNDS; round++) {
    const table: Record<string, number> = {};
    for (const [name, rateLimits] of Object.entries(limits)) {
      Object.assign(s.service, { rateLimits });
      table[name] = await callsPerSecond(me);
    }
    table['limit: GET /healthz'] = await callsPerSecond(() => s.app.inject({ url: '/healthz' }));
    const buckets = limit();
    const began = performance.now();
    for (let i = 0; i < CALLS; i++) buckets.take(`${i % CREDENTIALS}`);
    table['the counting alone'] = Math.round((CALLS * 1000) / (performance.now() - began));
    console.table(table);
  }
});

async function callsPerSecond(send: (i: number) => Promise<{ statusCode: number }>): Promise<number> {
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < CALLS) {
        const { statusCode } = await send(next++);
        if (statusCode !== 200) throw new Error(`${statusCode}`);
      }
    }),
  );
  return Math.round((CALLS * 1000) / (performance.now() - began));
}
