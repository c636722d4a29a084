import { type FastifyInstance, fastify } from 'fastify';
import { Problem } from '../base/problems.ts';
import type { Service } from '../settlement/service.ts';
import { connectionOptions } from './connection-options.ts';
import { refuseOtherMethods } from './methods.ts';
import { metrics } from './metrics.ts';
import { problemExit } from './problems.ts';

/** Serves only `/metrics`, on a port that players and games cannot reach (`METRICS_PORT`). */
export async function createMetricsServer(service: Service): Promise<FastifyInstance> {
  const app = fastify({ ...connectionOptions(service.publicUrl), return503OnClosing: false });
  app.setErrorHandler(problemExit(service));
  app.setNotFoundHandler(() => {
    throw new Problem('not-found', 'There is nothing at this address.');
  });
  refuseOtherMethods(app);
  await app.register(metrics(service));
  return app;
}
