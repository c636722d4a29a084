import { postCalls, type RpcCall, type RpcReply, type Unanswered } from './json-rpc-http.ts';

/**
 * What the last look found. `behind`: it lacks blocks that others have. `forked`: it has another block in the place of a
 * recent one that the ledger has. `contradicting`: in the place of a final one, or what it said of a block was not proven.
 * `foreign`: it is on another chain. `no-contracts`: it lacks our contracts.
 */
export type EndpointState =
  | 'unknown'
  | 'ok'
  | 'unreachable'
  | 'behind'
  | 'forked'
  | 'contradicting'
  | 'foreign'
  | 'no-contracts';

/** One address of `CHAIN_RPC_URL`. */
export type ChainEndpoint = {
  /** Its place in the setting, from 1. */
  readonly number: number;
  /** Host and port. The rest of the address may hold a key, and is shown nowhere. */
  readonly host: string;
  state: EndpointState;
  /** Its newest block when it was last looked at. */
  head: bigint | null;
  /** Whether the last request to it was answered. */
  readonly answers: boolean;
  /** The most calls that it takes in one request, as far as is known. */
  readonly largestBatch: number;
  /** For how long it is left alone, in milliseconds, because it said that we ask too often. */
  restMs(): number;
  /** Replies for all calls, in order. Never throws. */
  ask(calls: readonly RpcCall[]): Promise<RpcReply[]>;
};

/** What a client can ask, and which of it is asked first. */
export type Endpoints = {
  /** In the order of the setting. At least one. */
  readonly all: readonly ChainEndpoint[];
  /** Asked first, unless it has to be left alone. */
  readonly chosen: ChainEndpoint;
  /** When all of them were last looked at, by `performance.now()`. */
  surveyedAt: number;
  choose(endpoint: ChainEndpoint): void;
  /** The one that the next request goes to. */
  first(): ChainEndpoint;
  /** Asks one endpoint after the other, until one answers. Never throws. */
  ask(calls: readonly RpcCall[]): Promise<RpcReply[]>;
  /** For how long none of them may be asked. */
  restMs(): number;
};

/** What such an endpoint says is not about our chain. */
export const isUnusable = ({ state }: Pick<ChainEndpoint, 'state'>): boolean =>
  state === 'foreign' || state === 'no-contracts' || state === 'contradicting';

export function openEndpoints(urls: readonly string[], timeoutMs: number): Endpoints {
  const all = urls.map((url, i) => openEndpoint(url, i + 1, timeoutMs));
  let chosen = all[0]!;
  /** Those that may be asked, best first. If nothing is usable, the chosen one shows what is wrong. */
  const inOrder = (): ChainEndpoint[] => {
    const usable = all.filter((one) => !isUnusable(one));
    if (usable.length === 0) return [chosen];
    return usable.sort((a, b) => rank(a, chosen) - rank(b, chosen));
  };
  return {
    all,
    surveyedAt: Number.NEGATIVE_INFINITY,
    get chosen() {
      return chosen;
    },
    choose(endpoint) {
      chosen = endpoint;
    },
    first: () => inOrder()[0]!,
    async ask(calls) {
      let replies: RpcReply[] = [];
      for (const next of inOrder()) {
        const given = await next.ask(calls);
        const isAnswered = given.some(({ kind }) => kind !== 'unknown');
        if (isAnswered || replies.length === 0) replies = given;
        if (!isAnswered) continue;
        // It stays so: to try the failing one each time would take the timeout each time.
        if (!chosen.answers && chosen.restMs() === 0) chosen = next;
        break;
      }
      return replies;
    },
    restMs: () => Math.min(...all.filter((one) => !isUnusable(one) || one === chosen).map((one) => one.restMs())),
  };
}

/** Lower is asked earlier. */
function rank(endpoint: ChainEndpoint, chosen: ChainEndpoint): number {
  const isSuspect = endpoint.state === 'behind' || endpoint.state === 'forked';
  const resting = endpoint.restMs() > 0 ? 1_000_000 : 0;
  const silent = endpoint.answers ? 0 : 10_000;
  return resting + silent + (endpoint === chosen ? 0 : endpoint.number + (isSuspect ? 1_000 : 0));
}

/** Shorter parts of an address are no keys. */
const LEAST_KEY = 8;

/** Takes out of a text what may be a key in the address of an endpoint: a gateway may repeat it in an error. */
function hiderOf({ pathname, searchParams, username, password }: URL): (text: string) => string {
  const keys = [...pathname.split('/'), ...searchParams.values(), username, password].filter(
    (part) => part.length >= LEAST_KEY,
  );
  return (text) => keys.reduce((shown, key) => shown.replaceAll(key, '…'), text);
}

/** After this time a full batch is tried again, because the refusal may have been temporary. */
const BATCH_LIMIT_HOLDS_MS = 60_000;
const FIRST_REST_MS = 1_000;
/** Of an endpoint that does not say how long: what it refuses in the meantime costs little. */
const MOST_UNASKED_REST_MS = 4_000;
const MOST_REST_MS = 60_000;

function openEndpoint(url: string, number: number, timeoutMs: number): ChainEndpoint {
  // Each node has its own limit for batches. A size that was refused is not tried again for a while.
  let largestBatch = Number.POSITIVE_INFINITY;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let answers = true;
  let restUntil = 0;
  let limitedInARow = 0;
  let limitedAt = Number.NEGATIVE_INFINITY;
  let nextId = 1;

  /** `askedAt`: when the refused request was made. Those that were under way at once are refused once. */
  function rest(wantedMs: number | null, askedAt: number): void {
    if (askedAt >= limitedAt) limitedInARow++;
    limitedAt = performance.now();
    const own = Math.min(FIRST_REST_MS * 2 ** (limitedInARow - 1), MOST_UNASKED_REST_MS);
    restUntil = limitedAt + Math.min(Math.max(wantedMs ?? 0, own), MOST_REST_MS);
  }

  async function ask(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    const none = (reason: string): RpcReply[] => calls.map(() => ({ kind: 'unknown', reason }));
    // What a limiter refuses costs the allowance too. A payment is sent all the same: it must not wait for readers.
    const isSending = calls[0]?.method === 'eth_sendRawTransaction';
    if (restMs() > 0 && !isSending) return none('it is left alone for a moment, because it limits our requests');
    if (performance.now() - refusedAt > BATCH_LIMIT_HOLDS_MS) largestBatch = Number.POSITIVE_INFINITY;
    if (calls.length > largestBatch) return inHalves(calls);
    const askedAt = performance.now();
    try {
      const replies = await post(calls);
      if (replies) return replies.map(withoutSecrets);
    } catch (error) {
      const { message, because, retryAfterMs } = error as Unanswered;
      if (!(await isForSize(calls, error as Unanswered))) {
        answers = false;
        // Sending does not wait for the end of the rest, so it must not put it off for readers.
        if (because === 'limited' && !isSending) rest(retryAfterMs, askedAt);
        return none(hide(message));
      }
    }
    largestBatch = calls.length >> 1;
    refusedAt = performance.now();
    return inHalves(calls);
  }

  async function post(calls: readonly RpcCall[]): Promise<RpcReply[] | null> {
    const firstId = nextId;
    nextId += calls.length;
    const replies = await postCalls(url, calls, firstId, timeoutMs);
    answers = true;
    if (replies) limitedInARow = 0;
    return replies;
  }

  /**
   * Whether an endpoint that gave no usable answer to a batch answers one call of it: then it takes none of that size. Nodes cut connections,
   * say that they can not parse it, or that we ask too often. Calls may be repeated.
   */
  async function isForSize(calls: readonly RpcCall[], { because, retryAfterMs }: Unanswered): Promise<boolean> {
    if (calls.length === 1 || because === 'silent' || retryAfterMs !== null) return false;
    const replies = await post(calls.slice(0, 1)).catch(() => null);
    return replies !== null;
  }

  async function inHalves(calls: readonly RpcCall[]): Promise<RpcReply[]> {
    const middle = calls.length >> 1;
    return [...(await ask(calls.slice(0, middle))), ...(await ask(calls.slice(middle)))];
  }

  const hide = hiderOf(new URL(url));
  const withoutSecrets = (reply: RpcReply): RpcReply =>
    reply.kind === 'error' ? { ...reply, message: hide(reply.message) } : reply;
  const restMs = () => Math.max(0, restUntil - performance.now());
  return {
    number,
    host: new URL(url).host,
    state: 'unknown',
    head: null,
    get answers() {
      return answers;
    },
    get largestBatch() {
      return largestBatch;
    },
    restMs,
    ask,
  };
}
