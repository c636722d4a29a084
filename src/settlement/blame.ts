import { Unproven } from '../chain/block-proof.ts';
import { clientsOfAll, type EndpointClient, pinned, type Rpc, RpcUnreachable } from '../chain/rpc.ts';
import type { Engine } from './engine.ts';
import { distrustEndpoint, leaveEndpoint } from './survey-chain-endpoints.ts';

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

/** Reads from an endpoint, and {@link blame}s it if that fails. */
export async function blaming<T>(
  service: Blaming,
  endpoint: EndpointClient['endpoint'],
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    blame(service, endpoint, error);
    throw error;
  }
}

/**
 * An endpoint whose answer failed is not trusted for some minutes. One that is asked first, and refuses, is left for a while; others may
 * only lack the newest block.
 */
export function blame(service: Blaming, endpoint: EndpointClient['endpoint'], error: unknown): void {
  if (endpoint && error instanceof Unproven) distrustEndpoint(service, endpoint, error.message);
  else if (endpoint === service.rpc.endpoints?.first() && !(error instanceof RpcUnreachable))
    leaveEndpoint(service, endpoint, (error as Error).message);
}

/** That an answer failed says more than that it was refused, and that more than that none was given. */
export const worstOf = (errors: readonly unknown[]): unknown =>
  errors.find((error) => error instanceof Unproven) ??
  errors.find((error) => !(error instanceof RpcUnreachable)) ??
  errors[0];
