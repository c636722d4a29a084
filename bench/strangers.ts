/**
 * Measures how fast payments are answered while strangers send the dearest requests that are taken from them. Linux. Alone: `node
 * bench/strangers.ts`.
 */
import type { Claim, Effort, Figure } from './claim.ts';
import type { Call } from './http-connection.ts';
import { perSecond } from './http-limit.ts';
import { type Load, startLoad } from './load.ts';
import type { Payer } from './load-flows.ts';
import type { LoadResult } from './load-generator.ts';
import { openPayments, type Payments } from './payments.ts';
import { runAlone } from './run.ts';
import { type Stage, startStage } from './stage.ts';

const PAYMENTS_PER_SECOND = 50;
const STRANGERS_PER_SECOND = 200;
const ADDRESSES = 10;
const CONNECTIONS = 100;
const WARM_UP_SECONDS = 10;
const WHY_LATE =
  'No work of the main thread takes longer than 45 ms meanwhile, and their budget is not used up. An answer takes several turns of a busy thread.';
/** What the HTTP parser and our forms take. */
const LENGTH = 14_000;

const repeated = (part: string) => part.repeat(Math.floor(LENGTH / part.length));
const form = (path: string, body: string): Call => ({
  method: 'POST',
  path,
  form: true,
  body,
  headers: 'sec-fetch-site: same-origin\r\n',
});

/** What test/fuzz/cost finds the dearest, and what costs the most in database and threads. */
function dearRequests(clientId: string): Readonly<Record<string, Call>> {
  const nested = `return_to=${repeated('/?')}%zz`;
  return {
    'addresses in addresses': {
      method: 'GET',
      path: `/liabilities?return_to=${encodeURIComponent(repeated('/?return_to=')).slice(0, LENGTH)}`,
    },
    'a search': { method: 'GET', path: `/docs/search?q=${repeated('payment+')}` },
    'an authorization': {
      method: 'GET',
      path: `/oauth/authorize?client_id=${clientId}&response_type=code&scope=${repeated('a+')}`,
    },
    'a token': form(
      '/v1/oauth/token',
      `client_id=${clientId}&client_secret=x&grant_type=authorization_code&code=${repeated('x')}`,
    ),
    'a wrong password': form('/sign-in', `email=nobody@example.com&password=${'x'.repeat(900)}&${nested}`),
    'a forgotten password': form('/forgot', `email=nobody@example.com&${nested}`),
  };
}

type Scene = { readonly stage: Stage; readonly crowd: Load; readonly payments: Payments; readonly payer: Payer };

/** The answers to transfers meanwhile. `rate`: as many a second; without it as many as get answers. */
async function payBeside(
  { stage, crowd, payments, payer }: Scene,
  calls: readonly Call[],
  { seconds, rate }: { readonly seconds: number; readonly rate?: number },
): Promise<{ readonly paid: LoadResult; readonly strangers: LoadResult }> {
  const { port } = stage;
  const pay = {
    port,
    flow: 'transfer',
    data: payer,
    rate: PAYMENTS_PER_SECOND,
    connections: CONNECTIONS,
    seconds,
  } as const;
  const come = {
    port,
    flow: 'stranger',
    data: { calls, addresses: ADDRESSES },
    connections: CONNECTIONS,
    seconds,
  } as const;
  const [paid, strangers] = await Promise.all([
    payments.settle(stage.load.run(pay)),
    crowd.run(rate === undefined ? come : { ...come, rate }),
  ]);
  if (paid.refused > 0) throw new Error(`${paid.refused} transfers were refused.`);
  return { paid, strangers };
}

async function measureStrangers(effort: Effort): Promise<Figure[]> {
  const seconds = Math.min(15, effort.seconds);
  const figures: Figure[] = [];
  for (const percent of ['50', '100']) {
    const stage = await startStage({ RATE_LIMIT_PER_ADDRESS: '', TRUST_PROXY: '1', PAGES_PERCENT: percent });
    const crowd = await startLoad();
    try {
      const { appId, people: _, ...payer } = await stage.createPayer(100);
      const payments = await openPayments(stage, appId);
      const scene = { stage, crowd, payments, payer };
      const dear = dearRequests(appId);
      const note = (name: string, value: number, target?: string) =>
        figures.push({
          name: `PAGES_PERCENT=${percent}: ${name}`,
          value,
          unit: 'ms',
          ...(target && { target, whyMissed: WHY_LATE }),
        });
      // The first of them load what they need, and Node.js compiles it.
      await payBeside(scene, Object.values(dear), { seconds: WARM_UP_SECONDS, rate: STRANGERS_PER_SECOND });
      const { p99 } = await payments.settle(
        stage.load.run({
          port: stage.port,
          flow: 'transfer',
          data: payer,
          rate: PAYMENTS_PER_SECOND,
          connections: CONNECTIONS,
          seconds,
        }),
      );
      note('answer to a transfer, p99, without strangers', p99);
      const target = percent === '50' ? '≤ 100' : undefined;
      for (const [name, call] of Object.entries(dear)) {
        const { paid } = await payBeside(scene, [call], { seconds, rate: STRANGERS_PER_SECOND });
        note(`beside ${STRANGERS_PER_SECOND} a second of ${name}`, paid.p99, target);
      }
      const { paid, strangers } = await payBeside(scene, Object.values(dear), { seconds });
      note('beside as many as get answers', paid.p99);
      figures.push({ name: `PAGES_PERCENT=${percent}: answers to them`, value: perSecond(strangers), unit: '/s' });
      await payments.verify();
    } finally {
      await crowd.stop();
      await stage.stop();
    }
  }
  return figures;
}

export const strangers: Claim = {
  name: 'strangers',
  title: 'Payments beside a crowd of strangers',
  method: `A game pays ${PAYMENTS_PER_SECOND} times a second at random (Poisson). Strangers at ${ADDRESSES} addresses send one kind of request \
after another, ${STRANGERS_PER_SECOND} a second, each as dear as it may be; then all kinds over ${CONNECTIONS} connections, as many as get \
answers. Before that, ${WARM_UP_SECONDS} seconds of all kinds. Limits of requests are the default. PAGES_PERCENT=100 is without the budget.`,
  measure: measureStrangers,
};

if (import.meta.main) await runAlone(strangers);
