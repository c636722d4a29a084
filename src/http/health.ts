import type { FastifyInstance } from 'fastify';
import { inTime } from '../base/in-time.ts';
import { readChainId } from '../chain/state.ts';
import type { Service } from '../service/service.ts';
import { arePaymentsHalted, isNewest } from '../settlement/may-act.ts';
import { listChainEndpoints } from '../settlement/survey-chain-endpoints.ts';
import { inputProblem } from './problems.ts';

/** The last state of the parts that this process asks. `chainId`: the node's answer; null without one. */
type PartsChecked = { readonly isWritable: boolean; readonly chainId: number | null };

/** What several processes may lack at once, so that a caller may want to look past it. */
const EXCLUDABLE = ['database', 'chain', 'gas', 'payments'];

/**
 * `/healthz`: the process is alive. `/readyz`: it can work; if not, 503 names the part that is missing. `?exclude=chain` looks past that
 * part, and may be repeated, as in the API server of Kubernetes.
 */
export function health(service: Service) {
  const check = sharedCheck(() => checkParts(service));
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    });
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.get<{ Querystring: { exclude?: string | string[] } }>('/readyz', async ({ query }, reply) => {
      const excluded = [query.exclude ?? []].flat();
      if (!excluded.every((part) => EXCLUDABLE.includes(part))) {
        throw inputProblem([{ pointer: 'query/exclude', detail: `must be one of ${EXCLUDABLE.join(', ')}` }]);
      }
      const { isWritable, chainId } = await check();
      const chain = chainWord(service, chainId);
      const { started, stopping } = service.readiness;
      const payments = paymentsWord(service);
      const missing = [
        !isWritable && 'database',
        chain !== 'ok' && 'chain',
        // Transfers are accepted but wait: the operator should know at once.
        service.settlement.gas === 'empty' && 'gas',
        payments !== 'ok' && 'payments',
      ].filter((part) => part !== false);
      const ready = started && !stopping && missing.every((part) => excluded.includes(part));
      return reply.code(ready ? 200 : 503).send({
        status: ready ? 'ready' : 'not-ready',
        start: started ? 'complete' : 'under-way',
        ...(stopping && { stop: 'under-way' }),
        database: isWritable ? 'ok' : 'unavailable',
        chain,
        ...endpointWords(service),
        gas: service.settlement.gas,
        payments,
      });
    });
  };
}

async function checkParts({ db, rpc }: Service): Promise<PartsChecked> {
  const [isWritable, chainId] = await Promise.all([
    inTime(db.assertWritable().then(() => true)),
    inTime(readChainId(rpc)),
  ]);
  return { isWritable: isWritable ?? false, chainId };
}

/** The state of the chain, as `/readyz` names it. */
function chainWord({ chain, readiness }: Service, chainId: number | null): string {
  if (chainId === null || (readiness.chain === 'unknown' && chainId === chain.chainId)) return 'unavailable';
  if (chainId !== chain.chainId) return 'foreign';
  return readiness.chain === 'ok' && readiness.unproven ? 'unproven' : readiness.chain;
}

/** Whether payments are accepted, as `/readyz` names it. */
function paymentsWord(service: Service): string {
  if (!isNewest(service.readiness)) return 'not-compared';
  if (arePaymentsHalted(service)) return 'suspended';
  return service.isStalled() ? 'stalled' : 'ok';
}

/** The state of each endpoint, by its place in `CHAIN_RPC_URL`, if there are several. One that is down is no reason to be red. */
function endpointWords(service: Service): { readonly endpoints?: Readonly<Record<string, string>> } {
  const endpoints = listChainEndpoints(service);
  if (endpoints.length < 2) return {};
  return { endpoints: Object.fromEntries(endpoints.map(({ number, state }) => [`${number}`, state])) };
}

/** Anybody may ask at any rate: one check in this time serves all of them. */
const CHECKS_APART_MS = 1_000;

/**
 * At most one check at a time, and at most one a second. Calls in between share the result of the last check.
 */
export function sharedCheck<T>(check: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let isUnderWay = false;
  let startedAt = Number.NEGATIVE_INFINITY;

  async function begin(): Promise<T> {
    try {
      return await check();
    } finally {
      isUnderWay = false;
    }
  }

  return () => {
    const isFresh = performance.now() - startedAt < CHECKS_APART_MS;
    if (last && (isUnderWay || isFresh)) return last;
    startedAt = performance.now();
    isUnderWay = true;
    last = begin();
    return last;
  };
}
