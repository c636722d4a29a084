import { setTimeout as delay } from 'node:timers/promises';
import type { Hex } from '../base/hex.ts';
import { traced } from '../base/spans.ts';
import type { Reading } from './block-replies.ts';
import { type ChainEndpoint, type EndpointState, type Endpoints, openEndpoints } from './chain-endpoints.ts';
import type { RpcCall, RpcReply } from './json-rpc-http.ts';
import type { ReadReply } from './read-in-thread.ts';

/** The node answered with an error: it understood the call and refused it. */
class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** No usable answer from any endpoint: the outcome is unknown. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable';
}

/** A JSON-RPC 2.0 client over HTTP. It asks the chosen endpoint, and others where that one does not answer. */
export type Rpc = {
  /**
   * One call, which must be safe to repeat: it is repeated if no answer came. Throws `RpcError` or {@link
   * RpcUnreachable}. With `reading`, a large result is a {@link ReadReply}.
   */
  call<Result>(method: string, params: readonly unknown[], reading?: Reading): Promise<Result>;
  /** Several calls in one HTTP request, with a reply for each, in order. Never throws. */
  batch(calls: readonly RpcCall[]): Promise<RpcReply[]>;
  /** Where the answers come from. Absent if there is nothing to choose from, as for {@link pinned}. */
  readonly endpoints?: Endpoints;
};

const TIMEOUT_MS = 10_000;
/** Following the chain takes several calls, and a single lost answer must not fail all of them. */
const CALL_AGAIN_AFTER_MS = [50, 200];
/** An endpoint that asks for a longer pause than this is not waited for within one call. */
const MOST_WAIT_MS = 3_000;

/**
 * `urls`: at least one http(s) endpoint; the first is preferred. `onSent`: called after transactions were sent to the
 * node.
 */
export function connectRpc(
  urls: readonly string[],
  options: { timeoutMs?: number; onSent?: (() => void) | undefined } = {},
): Rpc & { readonly endpoints: Endpoints } {
  const endpoints = openEndpoints(urls, options.timeoutMs ?? TIMEOUT_MS);
  const client = openClient(async (calls) => {
    const replies = await endpoints.ask(calls);
    if (calls.some(({ method }) => method === 'eth_sendRawTransaction')) options.onSent?.();
    return replies;
  }, endpoints.restMs);
  return { ...client, endpoints };
}

/**
 * A client that asks one endpoint only, if there are several, for answers that must belong together: a header and its logs, a block and the
 * nonces at it. Another one may follow another fork, or lag behind.
 */
export function pinned(rpc: Rpc): Rpc {
  return rpc.endpoints && rpc.endpoints.all.length > 1 ? askOnly(rpc.endpoints.first()) : rpc;
}

/** A client for each other endpoint that may be asked, and answered when it was last looked at: for what one of them alone may know. */
export function besides(rpc: Rpc): Rpc[] {
  const others = clientsOfAll(rpc).slice(1);
  return others.filter(({ endpoint }) => endpoint?.state !== 'contradicting').map(({ client }) => client);
}

/** A client that asks one endpoint alone. No endpoint: there is nothing to choose from. */
export type EndpointClient = { readonly endpoint?: ChainEndpoint; readonly client: Rpc };

/**
 * Each endpoint that is on our chain and answered when it was last looked at, the one that is asked first before the others, for answers
 * that are compared or prove themselves. So one that was contradicted is asked too, but last.
 */
export function clientsOfAll(rpc: Rpc): EndpointClient[] {
  const { endpoints } = rpc;
  if (!endpoints) return [{ client: rpc }];
  const first = endpoints.first();
  const others = endpoints.all.filter((one) => one !== first && !UNASKED.has(one.state));
  const last = others.filter(({ state }) => state === 'contradicting');
  const order = [first, ...others.filter((one) => !last.includes(one)), ...last];
  return order.map((endpoint) => ({ endpoint, client: askOnly(endpoint) }));
}

const UNASKED: ReadonlySet<EndpointState> = new Set(['foreign', 'no-contracts', 'unreachable']);

/** A client of this endpoint alone. */
function askOnly({ ask, restMs }: Pick<Endpoints['chosen'], 'ask' | 'restMs'>): Rpc {
  return openClient(ask, restMs);
}

/** `restMs`: for how long nobody may be asked. */
function openClient(ask: (calls: readonly RpcCall[]) => Promise<RpcReply[]>, restMs: () => number): Rpc {
  async function batch(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    if (calls.length === 0) return [];
    const details = { kind: 'client', inner: true, attributes: { 'rpc.calls': calls.length } } as const;
    return traced(`rpc ${calls[0]!.method}`, details, () => ask(calls));
  }
  return {
    async call<Result>(method: string, params: readonly unknown[], reading?: Reading) {
      const calls = [{ method, params, ...(reading && { reading }) }];
      let [reply] = await batch(calls);
      for (const pause of CALL_AGAIN_AFTER_MS) {
        const rest = restMs();
        if (reply?.kind !== 'unknown' || rest > MOST_WAIT_MS) break;
        await delay(Math.max(pause, rest));
        [reply] = await batch(calls);
      }
      if (reply?.kind === 'result') return reply.result as Result;
      if (reply?.kind === 'error') throw new RpcError(reply.code, reply.message);
      throw new RpcUnreachable(`The chain node did not answer ${method}: ${reply?.reason}`);
    },
    batch,
  };
}

/** A quantity in JSON-RPC's form (no leading zeros). */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}
