import type { Hash } from '../base/hex.ts';
import { type ChainEndpoint, type EndpointState, type Endpoints, isUnusable } from '../chain/chain-endpoints.ts';
import { lookAt, readHashAt, type Seen } from '../chain/look-at-endpoint.ts';
import { type PostedBlock, readCursor, readPostedBlocks } from '../ledger/blocks.ts';
import type { Service } from '../service/service.ts';
import type { Engine } from './engine.ts';
import { finalBlock } from './finality.ts';
import { judgeEndpoints, type Look } from './judge-endpoints.ts';
import { compareWithCursor } from './standing.ts';

/** A preferred endpoint is used again after so many good looks in a row. */
const LOOKS_UNTIL_RETURN = 6;
/** One that answers and does not do its work is not used for so many more. */
const LOOKS_WHILE_LEFT = 6;
/** One that was in order so recently may be back at once: it is not left out of a decision. */
const MAY_RETURN_WITHIN_MS = 10_000;
/** One that said of a block what others did not bear out is not used for so long. */
const DISTRUSTED_MS = 10 * 60_000;

/** `rewind`: the endpoints agree that the block at the cursor has left the chain. */
export type Verdict = 'stay' | 'rewind';

/**
 * For each process: what the last looks found. `inARow` is negative while an endpoint is left. Kept beside the endpoints, because only settlement judges. The first look
 * counts as good, because a node that restarts together with this process may be back at once too.
 */
const goodLooks = new WeakMap<ChainEndpoint, { inARow: number; lastAt: number }>();
/** When an endpoint was last contradicted by what a block's header vouches for, or by others. */
const contradictedAt = new WeakMap<ChainEndpoint, number>();

/**
 * Looks at all endpoints at once, notes what each is good for, and chooses the one that is asked from now on: the first
 * of `CHAIN_RPC_URL` that has the ledger's newest block and is not behind. If it returns `rewind`, one that has won the
 * vote is chosen. With one endpoint there is nothing to do. `now`: by `performance.now()`.
 */
export async function surveyEndpoints(service: Engine, now = performance.now()): Promise<Verdict> {
  const { endpoints } = service.rpc;
  if (!endpoints || endpoints.all.length === 1) return 'rewind';
  endpoints.surveyedAt = now;
  for (const endpoint of endpoints.all) {
    if (!goodLooks.has(endpoint)) goodLooks.set(endpoint, { inARow: 0, lastAt: now });
  }
  const cursor = await readCursor(service.db);
  const looks = await Promise.all(endpoints.all.map((endpoint) => lookAtOne(service, endpoint, cursor, now)));

  const { states, winners } = judgeEndpoints(looks, cursor?.number ?? 0n, endpoints.chosen.number);
  for (const [i, { seen }] of looks.entries()) {
    const endpoint = endpoints.all[i]!;
    const isDistrusted = now - (contradictedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < DISTRUSTED_MS;
    const state = isDistrusted && seen && !seen.fault ? 'contradicting' : states[i]!;
    note(service, endpoint, state, seen?.head ?? null, now);
  }
  const best = choose(endpoints, winners);
  if (best !== endpoints.chosen) {
    endpoints.choose(best);
    service.log.info({ endpoint: best.number, host: best.host }, 'another endpoint of the chain is asked now');
  }
  return winners.length > 0 ? 'rewind' : 'stay';
}

/**
 * An endpoint was asked for something that only it cannot or will not do, such as the logs of a block: others are asked
 * for a while, if one is in order. `asked`: undefined if there are no endpoints to choose from.
 */
export function leaveEndpoint(
  { rpc: { endpoints }, log }: Pick<Service, 'rpc' | 'log'>,
  asked: ChainEndpoint | undefined,
  reason: string,
): void {
  const looks = asked && goodLooks.get(asked);
  if (!endpoints || !looks) return;
  looks.inARow = -LOOKS_WHILE_LEFT;
  const next = endpoints.all.find((one) => one.state === 'ok' && !isLeft(one));
  if (!next || asked !== endpoints.chosen) return;
  endpoints.choose(next);
  const entry = { endpoint: asked.number, host: asked.host, reason, next: next.number };
  log.warn(entry, 'an endpoint of the chain answers and does not do its work: another one is asked for a while');
}

/**
 * What an endpoint said of a block is not what the block's header vouches for, or what the others say. It is not used for some minutes, if
 * there is another one.
 */
export function distrustEndpoint(
  { rpc: { endpoints }, log }: Pick<Service, 'rpc' | 'log'>,
  endpoint: ChainEndpoint,
  reason: string,
): void {
  if (!endpoints || endpoints.all.length === 1) return;
  contradictedAt.set(endpoint, performance.now());
  if (endpoint.state !== 'contradicting') {
    const entry = { endpoint: endpoint.number, host: endpoint.host, reason };
    log.error(entry, 'an endpoint of the chain contradicts a block, and is not used for some minutes');
  }
  endpoint.state = 'contradicting';
  const next = endpoints.all.find((one) => one.state === 'ok' && !isLeft(one));
  if (next && endpoint === endpoints.chosen) endpoints.choose(next);
}

const isLeft = (endpoint: ChainEndpoint): boolean => (goodLooks.get(endpoint)?.inARow ?? 0) < 0;

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
    state: isOnly ? stateOfOnly(answers, readiness) : state,
    head: isOnly && settlement.head > 0n ? settlement.head : head,
    isChosen: endpoints.all[i] === endpoints.chosen,
  }));
}

function stateOfOnly(answers: boolean, { chain, unproven }: Service['readiness']): EndpointState {
  if (!answers) return 'unreachable';
  if (unproven) return 'contradicting';
  return chain === 'foreign' || chain === 'no-contracts' || chain === 'ok' ? chain : 'unknown';
}

async function lookAtOne(
  service: Engine,
  endpoint: ChainEndpoint,
  cursor: PostedBlock | null,
  now: number,
): Promise<Look> {
  const final = cursor ? finalBlock(service, cursor.number) : -1n;
  const [ourFinal] = final > 0n ? await readPostedBlocks(service.db, final, 1) : [];
  const heights = cursor ? [cursor.number, ...(ourFinal ? [ourFinal.number] : [])] : [];
  const seen = await lookAt(endpoint, service.chain, heights);
  if (!seen || seen.fault) {
    const mayReturn = !seen && now - goodLooks.get(endpoint)!.lastAt < MAY_RETURN_WITHIN_MS;
    return { endpoint, seen, standing: 'lacks', isDeep: false, mayReturn };
  }
  const standing = cursor ? await standingOf(service, endpoint, seen, cursor) : 'has';
  const isOther = (hash: Hash | null | undefined, height: bigint) =>
    hash ? hash !== ourFinal?.hash : seen.head < height;
  const isDeep = standing === 'contradicts' && ourFinal !== undefined && isOther(seen.hashes[1], ourFinal.number);
  return { endpoint, seen, standing, isDeep, mayReturn: false };
}

function standingOf(service: Service, endpoint: ChainEndpoint, seen: Seen, cursor: PostedBlock) {
  const hashAt = async (height: bigint) =>
    height === cursor.number ? (seen.hashes[0] ?? null) : readHashAt(endpoint, height);
  return compareWithCursor(service, cursor, { number: seen.head, hash: seen.headHash }, hashAt);
}

function choose({ all, chosen }: Endpoints, winners: readonly number[]): ChainEndpoint {
  if (winners.length > 0) return [chosen, ...all].find(({ number }) => winners.includes(number))!;
  const [preferred, ...others] = all.filter(({ state }) => state === 'ok');
  if (!preferred) return all.every(isUnusable) ? likeliestToReturn(all) : chosen;
  if (chosen.state !== 'ok') return [preferred, ...others].find((one) => !isLeft(one)) ?? preferred;
  if (preferred.number >= chosen.number) return chosen;
  const isSteady = (endpoint: ChainEndpoint) => (goodLooks.get(endpoint)?.inARow ?? 0) >= LOOKS_UNTIL_RETURN;
  return [preferred, ...others].find((one) => one === chosen || isSteady(one)) ?? chosen;
}

/** Of endpoints that are all unusable: one that lacks our contracts can get them again. */
const likeliestToReturn = (all: readonly ChainEndpoint[]): ChainEndpoint =>
  all.find(({ state }) => state === 'no-contracts') ?? all.find(({ state }) => state === 'foreign') ?? all[0]!;

const WORDS: Readonly<Record<Exclude<EndpointState, 'unknown'>, string>> = {
  ok: 'an endpoint of the chain is in order',
  unreachable: 'an endpoint of the chain does not answer',
  behind: 'an endpoint of the chain is behind the others, and is asked only if no other answers',
  forked: 'an endpoint of the chain has another block in the place of one that the ledger has',
  contradicting: 'an endpoint of the chain contradicts a block of the ledger, and is not used',
  foreign: 'an endpoint of the chain is on another chain than the database, and is not used',
  'no-contracts': 'an endpoint of the chain does not have our contracts, and is not used',
};

/** Logs changes only, and not that one is in order at the start. */
function note({ log }: Service, endpoint: ChainEndpoint, state: EndpointState, head: bigint | null, now: number): void {
  const before = endpoint.state;
  endpoint.state = state;
  endpoint.head = head ?? endpoint.head;
  const good = goodLooks.get(endpoint)!;
  good.inARow = state === 'ok' ? good.inARow + 1 : Math.min(good.inARow, 0);
  if (state === 'ok') good.lastAt = now;
  if (state === before || state === 'unknown' || (before === 'unknown' && state === 'ok')) return;
  const level = state === 'ok' ? 'info' : isUnusable(endpoint) ? 'error' : 'warn';
  log[level](
    { endpoint: endpoint.number, host: endpoint.host, head: head === null ? null : Number(head) },
    WORDS[state],
  );
}
