import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

/** Whose start a server belongs to: others may be made in this process at the same time. */
const starting = new AsyncLocalStorage<RouteOptions[]>();

/** The routes that servers made by `start` register, in order, so that tests cover a new route automatically. */
export async function routesOf<T>(start: () => Promise<T>): Promise<{ started: T; routes: RouteOptions[] }> {
  const routes: RouteOptions[] = [];
  const watch = (message: unknown) => {
    if (starting.getStore() !== routes) return;
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route) => {
      routes.push(route);
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { started: await starting.run(routes, start), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}
