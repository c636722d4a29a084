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
          answers(service.db.assertWritable()),
          answers(readChainId(service.rpc).then((chainId) => chainId === service.chain.chainId)),
        ]);
        // Without ether transfers are taken and wait; whoever runs this at night should know now.
        const gas = service.settlement.gas !== 'empty';
        const { started, chain: seen, suspended } = service.readiness;
        const ready = started && database && chain && seen === 'ok' && gas && !suspended;
        return reply.code(ready ? 200 : 503).send({
          status: ready ? 'ready' : 'not-ready',
          start: started ? 'complete' : 'under-way',
          database: word(database),
          chain: chain && seen !== 'ok' && seen !== 'unknown' ? seen : word(chain && seen === 'ok'),
          gas: service.settlement.gas,
          payments: suspended ? 'suspended' : 'ok',
        });
      });
    });
  };
}

function word(isThere: boolean): 'ok' | 'unavailable' {
  return isThere ? 'ok' : 'unavailable';
}

/** Whether a part answered in time, and did not answer false. */
async function answers(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, false);
  });
  const answer = work.then(
    (value) => value !== false,
    () => false,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
