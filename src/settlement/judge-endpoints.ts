import type { ChainEndpoint, EndpointState } from '../chain/chain-endpoints.ts';
import type { Seen } from '../chain/look-at-endpoint.ts';
import type { StandingKind } from './standing.ts';

/** An endpoint is behind if it lacks so many blocks, and its newest is so much older than that of another. */
const BEHIND_BLOCKS = 3n;
const BEHIND_MS = 10_000;

/** What one look at an endpoint has found. */
export type Look = {
  readonly endpoint: Pick<ChainEndpoint, 'number' | 'state' | 'restMs'>;
  /** Null if it did not answer. */
  readonly seen: Pick<Seen, 'fault' | 'head' | 'minedAt'> | null;
  readonly standing: StandingKind;
  /** It contradicts a final block of the ledger too. */
  readonly isDeep: boolean;
  /** It does not answer, and was in order a moment ago: it may be back at once. */
  readonly mayReturn: boolean;
};

export type Judgement = {
  /** In the order of the looks. */
  readonly states: readonly EndpointState[];
  /** The numbers of the endpoints that the ledger may be rewound with. If there is none, it stays. */
  readonly winners: readonly number[];
};

type Answer = Look & { readonly seen: NonNullable<Look['seen']> };

/**
 * Counts what the endpoints say of the block at the cursor, because one that lags, lies or is stuck on a dead branch
 * must not take payments back:
 *
 * | The ledger goes back | if so many say so |
 * |---|---|
 * | above final blocks | more than have the block and are not behind, and at least as many as have it at all |
 * | below a final block | more than half of all endpoints, whether they answer or not |
 *
 * Without that half, one that contradicts final blocks is not heard: its vote does not count, and others are not behind
 * because it is ahead. An endpoint that may be back at once is waited for.
 *
 * `cursor`: the ledger's newest block. `chosen`: the number of the endpoint that is asked first.
 */
export function judgeEndpoints(looks: readonly Look[], cursor: bigint, chosen: number): Judgement {
  const answers = looks.filter((look): look is Answer => look.seen?.fault === null);
  const deep = upToDate(answers, cursor, chosen).filter(({ isDeep }) => isDeep);
  const isDeepMajority = deep.length * 2 > looks.length;
  const heard = isDeepMajority ? answers : answers.filter(({ isDeep }) => !isDeep);
  const current = upToDate(heard, cursor, chosen);

  const against = current.filter(({ standing }) => standing === 'contradicts');
  const isOutvoted = against.length > countHaving(current) && against.length >= countHaving(heard);
  const winners = isDeepMajority ? deep : isOutvoted ? against : [];
  const states = looks.map((look): EndpointState => {
    const { endpoint, seen, standing, isDeep } = look;
    // One that wants to be left alone keeps its state.
    if (!seen) return endpoint.restMs() > 0 ? endpoint.state : 'unreachable';
    if (seen.fault) return seen.fault;
    if (standing === 'contradicts') return isDeep && !isDeepMajority ? 'contradicting' : 'forked';
    return current.some((one) => one === look) ? 'ok' : 'behind';
  });
  const isOneAwaited = looks.some(({ mayReturn }) => mayReturn);
  return { states, winners: isOneAwaited ? [] : winners.map(({ endpoint }) => endpoint.number) };
}

const countHaving = (looks: readonly Look[]): number => looks.filter(({ standing }) => standing === 'has').length;

/** Those that are not behind the newest of them, and do not lag behind the ledger. */
function upToDate(answers: readonly Answer[], cursor: bigint, chosen: number): readonly Answer[] {
  const newest = answers.reduce<Answer['seen'] | null>(
    (best, { seen }) => (!best || seen.head > best.head ? seen : best),
    null,
  );
  return answers.filter(({ endpoint, seen, standing }) => {
    const missing = cursor - seen.head;
    if (standing === 'lacks' && missing > 0n) return endpoint.number !== chosen && missing < BEHIND_BLOCKS;
    return newest!.head - seen.head < BEHIND_BLOCKS || newest!.minedAt - seen.minedAt < BEHIND_MS;
  });
}
