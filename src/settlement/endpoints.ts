import type { Hash } from '../base/hex.ts';
import { type ChainEndpoint, type EndpointState, type Endpoints, isUnusable } from '../chain/endpoints.ts';
import { lookAt, type Seen } from '../chain/look-at-endpoint.ts';
import { type PostedBlock, readCursor, readPostedBlocks } from '../ledger/blocks.ts';
import { finalBlock } from './finality.ts';
import type { Engine, Service } from './service.ts';

/** An endpoint is behind if it lacks so many blocks, and its newest is so much older than that of another. */
const BEHIND_BLOCKS = 3n;
const BEHIND_MS = 10_000;
/** A preferred endpoint is used again after so many good looks in a row. */
const LOOKS_UNTIL_RETURN = 6;
/** One that was in order so recently may be back at once: it is not left out of a decision. */
const MAY_RETURN_WITHIN_MS = 10_000;

/** `rewind`: the endpoints agree that the block at the cursor has left the chain. */
export type Verdict = 'stay' | 'rewind';

/** Whether it has the block at the cursor, none there yet (`lacks`), or another one. `isDeep`: even in place of a final one. */
type Standing = { readonly kind: 'has' | 'lacks' | 'contradicts'; readonly isDeep: boolean };
type Look = { readonly endpoint: ChainEndpoint; readonly seen: Seen | null; readonly standing: Standing };

/** For each process: what the last looks found. Kept beside the endpoints, because only settlement judges. */
const goodLooks = new WeakMap<ChainEndpoint, { inARow: number; lastAt: number }>();

/**
 * Looks at all endpoints at once, notes what each is good for, and chooses the one that is asked from now on: the first
 * of `CHAIN_RPC_URL` that has the ledger's newest block and is not behind. With one endpoint there is nothing to do.
 *
 * What the endpoints say of the block at the cursor is counted, because one that lags, lies or is stuck on a dead branch
 * must not take payments back:
 *
 * | endpoints | are needed to rewind |
 * |---|---|
 * | a recent block has another one in its place | more that say so than have the block |
 * | a final block has another one in its place | more than half of all, whether they answer or not |
 *
 * One that answered a moment ago and does not now is waited for.
 */
export async function surveyEndpoints(service: Engine): Promise<Verdict> {
  const { endpoints } = service.rpc;
  if (!endpoints || endpoints.all.length === 1) return 'rewind';
  endpoints.surveyedAt = performance.now();
  const cursor = await readCursor(service.db);
  const looks = await Promise.all(endpoints.all.map((endpoint) => lookAtOne(service, endpoint, cursor)));

  const states = judge(looks, cursor, endpoints.chosen);
  for (const [i, { endpoint, seen }] of looks.entries()) note(service, endpoint, states.of[i]!, seen?.head ?? null);
  const best = choose(endpoints, states.verdict);
  if (best !== endpoints.chosen) {
    endpoints.choose(best);
    service.log.info({ endpoint: best.number, host: best.host }, 'another endpoint of the chain is asked now');
  }
  return states.verdict;
}

/** As {@link surveyEndpoints}, unless that was done a moment ago. For an endpoint that turns out to lag. */
export async function surveySoon(service: Engine): Promise<void> {
  const { endpoints } = service.rpc;
  if (endpoints && performance.now() - endpoints.surveyedAt > SURVEYS_APART_MS) await surveyEndpoints(service);
}

const SURVEYS_APART_MS = 1_000;

/** An endpoint as operators see it. */
export type EndpointView = {
  readonly number: number;
  readonly host: string;
  readonly state: EndpointState;
  readonly head: bigint | null;
  readonly isChosen: boolean;
};

/** All endpoints as they were last seen, in the order of `CHAIN_RPC_URL`. A single one is in the state of the chain. */
export function listChainEndpoints({
  rpc,
  readiness,
  settlement,
}: Pick<Service, 'rpc' | 'readiness' | 'settlement'>): EndpointView[] {
  const { endpoints } = rpc;
  if (!endpoints) return [];
  const isOnly = endpoints.all.length === 1;
  return endpoints.all.map(({ number, host, state, head, answers }, i) => ({
    number,
    host,
    state: isOnly ? stateOfOnly(answers, readiness.chain) : state,
    head: isOnly && settlement.head > 0n ? settlement.head : head,
    isChosen: endpoints.all[i] === endpoints.chosen,
  }));
}

/** {@link listChainEndpoints} after a new look at each. Takes as long as the slowest, at most some seconds. */
export async function readChainEndpoints(service: Engine): Promise<EndpointView[]> {
  await surveyEndpoints(service);
  return listChainEndpoints(service);
}

function stateOfOnly(answers: boolean, chain: Service['readiness']['chain']): EndpointState {
  if (!answers) return 'unreachable';
  return chain === 'foreign' || chain === 'no-contracts' || chain === 'ok' ? chain : 'unknown';
}

async function lookAtOne(service: Engine, endpoint: ChainEndpoint, cursor: PostedBlock | null): Promise<Look> {
  const final = cursor ? finalBlock(service, cursor.number) : -1n;
  const [ourFinal] = final > 0n ? await readPostedBlocks(service.db, final, 1) : [];
  const heights = cursor ? [cursor.number, ...(ourFinal ? [ourFinal.number] : [])] : [];
  const seen = await lookAt(endpoint, service.chain, heights);
  if (!seen) return { endpoint, seen, standing: { kind: 'lacks', isDeep: false } };
  const kind = cursor ? await standingOf(service, seen, cursor) : 'has';
  const isOther = (hash: Hash | null | undefined, height: bigint) =>
    hash ? hash !== ourFinal?.hash : seen.head < height;
  const isDeep = kind === 'contradicts' && ourFinal !== undefined && isOther(seen.hashes[1], ourFinal.number);
  return { endpoint, seen, standing: { kind, isDeep } };
}

/** A short chain alone proves nothing: what it has may still be ours. */
async function standingOf({ db }: Service, seen: Seen, cursor: PostedBlock): Promise<Standing['kind']> {
  if (seen.head >= cursor.number) {
    const [hash] = seen.hashes;
    if (!hash) return 'lacks';
    return hash === cursor.hash ? 'has' : 'contradicts';
  }
  const [ours] = await readPostedBlocks(db, seen.head, 1);
  return ours?.number === seen.head && ours.hash !== seen.headHash ? 'contradicts' : 'lacks';
}

function judge(
  looks: readonly Look[],
  cursor: PostedBlock | null,
  chosen: ChainEndpoint,
): { readonly of: readonly EndpointState[]; readonly verdict: Verdict } {
  const answering = looks.filter(({ seen }) => seen?.fault === null);
  const newest = answering.reduce<Seen | null>(
    (best, { seen }) => (!best || seen!.head > best.head ? seen : best),
    null,
  );
  const isBehind = ({ seen, standing, endpoint }: Look): boolean => {
    const missing = (cursor?.number ?? 0n) - seen!.head;
    if (standing.kind === 'lacks' && missing > 0n) return endpoint === chosen || missing >= BEHIND_BLOCKS;
    return newest!.head - seen!.head >= BEHIND_BLOCKS && newest!.minedAt - seen!.minedAt >= BEHIND_MS;
  };
  const voting = answering.filter((look) => !isBehind(look));
  const having = voting.filter(({ standing }) => standing.kind === 'has').length;
  const against = voting.filter(({ standing }) => standing.kind === 'contradicts');
  const isMajority = against.length * 2 > looks.length;
  const mayReturn = looks.some(
    ({ endpoint, seen }) => !seen && performance.now() - okAt(endpoint) < MAY_RETURN_WITHIN_MS,
  );
  const isDeep = against.some(({ standing }) => standing.isDeep);
  const isOutvoted = against.length > having && (!isDeep || isMajority);
  const of = looks.map((look): EndpointState => {
    // One that wants to be left alone keeps its state.
    if (!look.seen) return look.endpoint.restMs() > 0 ? look.endpoint.state : 'unreachable';
    if (look.seen.fault) return look.seen.fault;
    const { kind, isDeep: isOwnDeep } = look.standing;
    if (kind === 'contradicts') return isOwnDeep && !isMajority ? 'contradicting' : 'forked';
    return isBehind(look) ? 'behind' : 'ok';
  });
  return { of, verdict: isOutvoted && !mayReturn ? 'rewind' : 'stay' };
}

const okAt = (endpoint: ChainEndpoint): number => goodLooks.get(endpoint)?.lastAt ?? Number.NEGATIVE_INFINITY;

function choose({ all, chosen }: Endpoints, verdict: Verdict): ChainEndpoint {
  if (verdict === 'rewind') return [chosen, ...all].find(({ state }) => state === 'forked') ?? chosen;
  const [preferred, ...others] = all.filter(({ state }) => state === 'ok');
  if (!preferred) return chosen;
  if (chosen.state !== 'ok') return preferred;
  if (preferred.number >= chosen.number) return chosen;
  const isSteady = (endpoint: ChainEndpoint) => (goodLooks.get(endpoint)?.inARow ?? 0) >= LOOKS_UNTIL_RETURN;
  return [preferred, ...others].find((one) => one === chosen || isSteady(one)) ?? chosen;
}

const WORDS: Readonly<Record<Exclude<EndpointState, 'unknown'>, string>> = {
  ok: 'an endpoint of the chain is in order',
  unreachable: 'an endpoint of the chain does not answer',
  behind: 'an endpoint of the chain is behind the others, and is asked only if no other answers',
  forked: 'an endpoint of the chain has another block in the place of one that the ledger has',
  contradicting: 'an endpoint of the chain contradicts a final block of the ledger, and is not used',
  foreign: 'an endpoint of the chain is on another chain than the database, and is not used',
  'no-contracts': 'an endpoint of the chain does not have our contracts, and is not used',
};

/** Logs changes only, and not that one is in order at the start. */
function note({ log }: Service, endpoint: ChainEndpoint, state: EndpointState, head: bigint | null): void {
  const before = endpoint.state;
  endpoint.state = state;
  endpoint.head = head ?? endpoint.head;
  const good = goodLooks.get(endpoint);
  if (state === 'ok') goodLooks.set(endpoint, { inARow: (good?.inARow ?? 0) + 1, lastAt: performance.now() });
  else if (good) good.inARow = 0;
  if (state === before || state === 'unknown' || (before === 'unknown' && state === 'ok')) return;
  const level = state === 'ok' ? 'info' : isUnusable(endpoint) ? 'error' : 'warn';
  log[level](
    { endpoint: endpoint.number, host: endpoint.host, head: head === null ? null : Number(head) },
    WORDS[state],
  );
}
