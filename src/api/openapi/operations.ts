import type { FastifyInstance } from 'fastify';
import type { Operation } from '../describe/describe.ts';
import type { Json } from './json.ts';

/** A described route, as registered. */
export type DescribedRoute = {
  readonly method: string;
  /** With the API's prefix: `/v1/requests/:id`. */
  readonly url: string;
  readonly operation: Operation;
  readonly params?: Json;
  readonly querystring?: Json;
  readonly body?: Json;
  readonly response: Json;
};

/** Collects the described routes that are registered after this call, in order. */
export function recordOperations(app: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    const operation = config?.operation;
    if (!operation || typeof method !== 'string' || method === 'HEAD') return;
    // As JSON, which drops the validator's symbols.
    routes.push({ ...JSON.parse(JSON.stringify(schema)), method, url, operation });
  });
  return routes;
}
