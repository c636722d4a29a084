import type { Address } from '../../base/address.ts';
import { typedCount } from '../../base/digits.ts';
import { type Hash, hashFrom } from '../../base/hex.ts';
import { type AppId, HIGHEST_ID, type RequestId, requestIdFrom, type UserId } from '../../base/ids.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import { findApps } from '../../identity/apps.ts';
import { type FoundPostings, listOutsidePostings, type PostingPosition } from '../../ledger/postings.ts';
import { listRequestsOfUser, type TransferRequest } from '../../requests/requests.ts';
import {
  appsOfStep,
  idsOfStep,
  type Reached,
  type RequestKind,
  type RequestSearch,
  type Step,
  searchStep,
} from '../../requests/search-requests.ts';
import type { Service } from '../../service/service.ts';
import { requestsInTransaction } from '../../settlement/tables/transfers.ts';

/** What of a player's activity is shown. */
export type ActivitySearch = {
  readonly kind?: RequestKind | undefined;
  readonly appId?: AppId | undefined;
  /** Part of a game's name or message, an amount, or the whole id of a request or transaction. */
  readonly text?: string | undefined;
};

type Deps = Pick<Service, 'reads'>;

/** `reached`: null if the page is full, or nothing is left. */
export type FoundRequests = { readonly requests: readonly TransferRequest[]; readonly reached: Reached | null };

/** How many requests a step reads, and how many steps a page view takes. The next page continues where they end. */
const PACE = { size: 5_000, most: 4 };
export type SearchPace = typeof PACE;

/**
 * A user's requests before `before` that fulfil the search, newest first, at most `limit`.
 *
 * Without a search it reads one page by its index. A search for the id of a request reads one row. Any other search walks the user's
 * own requests in steps of 5,000, at most four for a page view, and stops when the page is full. `reached` says how far it came.
 *
 * One statement searches a step. A text takes two more first: the step's apps and their names. A transaction takes two as well: the
 * step's ids, and which of them it carries. So a page view reads at most 20,000 of the user's requests, each at most twice.
 */
export async function findActivityRequests(
  { reads }: Deps,
  userId: UserId,
  search: ActivitySearch,
  before: RequestId | null,
  limit: number,
  pace: SearchPace = PACE,
): Promise<FoundRequests> {
  if (!isSearch(search)) return { requests: await listRequestsOfUser(reads, userId, before, limit), reached: null };
  const term = termOf(search.text);
  if (term.kind === 'id') {
    const step = { userId, before: term.id, size: 1, exact: true } as const;
    const { requests } = before === null ? await searchStep(reads, step, search, limit) : { requests: [] };
    return { requests, reached: null };
  }
  const requests: TransferRequest[] = [];
  let reached: Reached | null = null;
  for (let taken = 0; taken < pace.most; taken++) {
    const from: string = reached?.id ?? before ?? HIGHEST_ID;
    const step = { userId, before: from, size: pace.size };
    const filter = await filterOf({ reads }, step, search, term);
    const found = await searchStep(reads, step, filter, limit - requests.length);
    requests.push(...found.requests);
    reached = found.end;
    if (reached === null) break;
  }
  return { requests, reached };
}

function isSearch({ kind, appId, text }: ActivitySearch): boolean {
  return (kind ?? appId ?? text) !== undefined;
}

/** What a text may name. */
type Term =
  | { readonly kind: 'none' }
  | { readonly kind: 'id'; readonly id: RequestId }
  | { readonly kind: 'hash'; readonly hash: Hash }
  | { readonly kind: 'text'; readonly text: string; readonly amount: Quarters | null };

/** As a list writes it before an amount, in a page from right to left with a mark. */
const SIGN = /^\u200e?[+−-]/;

function termOf(typed: string | undefined): Term {
  if (typed === undefined) return { kind: 'none' };
  const text = typed.trim();
  const [id, hash] = [requestIdFrom(text), hashFrom(text)];
  if (id) return { kind: 'id', id };
  if (hash) return { kind: 'hash', hash };
  const amount = typedCount(text.replace(SIGN, ''));
  return { kind: 'text', text, amount: amount === null || amount > MAX_QUARTERS ? null : asQuarters(amount) };
}

/** What the requests of a step must fulfil. */
async function filterOf(
  { reads }: Deps,
  step: Step,
  { kind, appId }: ActivitySearch,
  term: Exclude<Term, { kind: 'id' }>,
): Promise<RequestSearch> {
  if (term.kind === 'none') return { kind, appId };
  if (term.kind === 'hash') {
    return { kind, appId, ids: await requestsInTransaction(reads, await idsOfStep(reads, step), term.hash) };
  }
  const { text, amount } = term;
  const apps = await findApps(reads, await appsOfStep(reads, step));
  const named = [...apps.values()].filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return { kind, appId, says: { appIds: named.map(({ id }) => id), text, amount } };
}

/**
 * The same for transfers without an app. They have no name and no message, so only an amount or a transaction finds them. One statement
 * reads at most 20,000 in each direction.
 */
export async function findActivityPostings(
  { reads }: Deps,
  addresses: readonly Address[],
  { kind, appId, text }: ActivitySearch,
  before: PostingPosition | null,
  limit: number,
  pace: SearchPace = PACE,
): Promise<FoundPostings> {
  const term = termOf(text);
  const { amount = null, hash = null } = { ...term } as { amount?: Quarters | null; hash?: Hash };
  const none = term.kind !== 'none' && amount === null && hash === null;
  if (appId !== undefined || kind === 'waiting' || kind === 'failed' || none) {
    return { postings: [], reached: null };
  }
  const direction = kind === 'received' ? 'in' : kind === 'payments' ? 'out' : null;
  return listOutsidePostings(
    reads,
    addresses,
    before,
    limit,
    { direction, amount, txHash: hash },
    pace.size * pace.most,
  );
}
