import { Unproven } from '../chain/block-proof.ts';
import { clientsOfAll, type EndpointClient, pinned, type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import { distrustEndpoint, leaveEndpoint } from './endpoints.ts';
import type { Engine } from './engine.ts';

type Blaming = Pick<Engine, 'rpc' | 'log'>;

/** The endpoint that is asked first at this moment, alone: for answers that must belong together, and to know whose they were. */
export function firstSource(rpc: Rpc): EndpointClient {
  const endpoint = rpc.endpoints?.first();
  return { ...(endpoint && { endpoint }), client: pinned(rpc) };
}

/** This endpoint, and then the others. */
export function sourcesFrom({ rpc }: Blaming, source: EndpointClient): EndpointClient[] {
  return [source, ...clientsOfAll(rpc).filter(({ endpoint }) => endpoint !== source.endpoint)];
}

/**
 * Reads from an endpoint. One whose answer fails is not trusted for some minutes. One that is asked first, and refuses, is left for a
 * while; others may only lack the newest block.
 */
export async function blaming<T>(
  service: Blaming,
  endpoint: EndpointClient['endpoint'],
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (endpoint && error instanceof Unproven) distrustEndpoint(service, endpoint, error.message);
    else if (endpoint === service.rpc.endpoints?.first() && !(error instanceof RpcUnreachable))
      leaveEndpoint(service, endpoint, (error as Error).message);
    throw error;
  }
}

/** That an answer failed says more than that another was not given. */
export const worstOf = (errors: readonly unknown[]): unknown =>
  errors.find((error) => error instanceof Unproven) ?? errors[0];
