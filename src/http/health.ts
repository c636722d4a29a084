import type { FastifyInstance } from 'fastify';
import { readChainId } from '../chain/state.ts';
import type { Service } from '../usecases/service.ts';
import { withOtherMethodsRefused } from './methods.ts';

const LIMIT_MS = 2_000;

/** `/healthz`: the process is alive. `/readyz`: it can do its work; if not, 503 names the part that is missing. */
export function health(service: Service) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    });
    withOtherMethodsRefused(app, () => {
      app.get('/healthz', async () => ({ status: 'ok' }));
      app.get('/readyz', async (_request, reply) => {
        const [database, chain] = await Promise.all([
          inTime(service.db.assertWritable().then(() => true)),
          inTime(readChainId(service.rpc)),
        ]).then(([isWritable, chainId]) => [isWritable ?? false, chainWord(service, chainId)] as const);
        // Without ether transfers are taken and wait; whoever runs this at night should know now.
        const gas = service.settlement.gas !== 'empty';
        const { started, suspended } = service.readiness;
        const payments = suspended ? 'suspended' : service.isStalled() ? 'stalled' : 'ok';
        const ready = started && database && chain === 'ok' && gas && payments === 'ok';
        return reply.code(ready ? 200 : 503).send({
          status: ready ? 'ready' : 'not-ready',
          start: started ? 'complete' : 'under-way',
          database: database ? 'ok' : 'unavailable',
          chain,
          gas: service.settlement.gas,
          payments,
        });
      });
    });
  };
}

/** `chainId`: what the node answers now; null where it does not. */
function chainWord({ chain, readiness }: Service, chainId: number | null): string {
  if (chainId === null || (readiness.chain === 'unknown' && chainId === chain.chainId)) return 'unavailable';
  return chainId === chain.chainId ? readiness.chain : 'foreign';
}

/** What it resolves to; null where it rejects or does not answer in time. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, null);
  });
  return Promise.race([work.catch(() => null), late]).finally(() => clearTimeout(timer));
}
