import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import { type AppId, HIGHEST_ID, type RequestId, type UserId, UUID_PATTERN } from '../../base/ids.ts';
import { asQuarters, MAX_QUARTERS, type Quarters } from '../../base/quarters.ts';
import { findApps } from '../../identity/apps.ts';
import { listOutsidePostings, type OutsidePosting, type PostingPosition } from '../../ledger/postings.ts';
import { listRequestsOfUser, type TransferRequest } from '../../requests/requests.ts';
import {
  appsOfStep,
  endOfStep,
  idsOfStep,
  type RequestKind,
  type RequestSearch,
  type Step,
  searchStep,
} from '../../requests/search-requests.ts';
import type { Service } from '../../settlement/service.ts';
import { requestsInTransaction } from '../../settlement/tables/transfers.ts';

/** What of a player's activity is shown. */
export type ActivitySearch = {
  readonly kind?: RequestKind | undefined;
  readonly appId?: AppId | undefined;
  /** Part of a game's name or message, an amount, or the whole id of a request or transaction. */
  readonly text?: string | undefined;
};

type Deps = Pick<Service, 'db'>;

/** Where a search stopped before it had looked at all. */
export type Reached = Pick<TransferRequest, 'id' | 'createdAt'>;

export type FoundRequests = { readonly requests: readonly TransferRequest[]; readonly reached: Reached | null };

/** How many requests a step reads, and how many steps a page view takes. The next page continues where they end. */
const PACE = { size: 5_000, most: 20 };
export type SearchPace = typeof PACE;

/**
 * A user's requests before `before` that fulfil the search, newest first, at most `limit`.
 *
 * Without a search it reads one page by its index. A search walks the user's own requests in steps of 5,000, each of at most three
 * statements that read nothing else, and stops when a page is full. So it costs as much as what lies between two hits, and at most
 * 100,000 rows for a page view; then `reached` says how far it came. A search for the id of a request reads one row.
 */
export async function findActivityRequests(
  { db }: Deps,
  userId: UserId,
  search: ActivitySearch,
  before: RequestId | null,
  limit: number,
  pace: SearchPace = PACE,
): Promise<FoundRequests> {
  if (!isSearch(search)) return { requests: await listRequestsOfUser(db, userId, before, limit), reached: null };
  const term = termOf(search.text);
  if (term.kind === 'id') {
    const step = { userId, before: term.id, size: 1, exact: true } as const;
    return { requests: before === null ? await searchStep(db, step, search, limit) : [], reached: null };
  }
  const requests: TransferRequest[] = [];
  let reached: Reached | null = null;
  for (let taken = 0; taken < pace.most; taken++) {
    const from: string = reached?.id ?? before ?? HIGHEST_ID;
    const step = { userId, before: from, size: pace.size };
    const [filter, end] = await Promise.all([filterOf({ db }, step, search, term), endOfStep(db, step)]);
    if (filter) requests.push(...(await searchStep(db, step, filter, limit - requests.length)));
    if (requests.length === limit || end === null) return { requests, reached: null };
    reached = end;
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

const REQUEST_ID = new RegExp(UUID_PATTERN);
const HASH = /^0x[0-9a-f]{64}$/;
const AMOUNT = /^[+−-]?(\d{1,3}(,\d{3})+|\d{1,16})$/;

function termOf(typed: string | undefined): Term {
  if (typed === undefined) return { kind: 'none' };
  const text = typed.trim();
  if (REQUEST_ID.test(text)) return { kind: 'id', id: text.toLowerCase() as RequestId };
  if (HASH.test(text.toLowerCase())) return { kind: 'hash', hash: text.toLowerCase() as Hash };
  const amount = AMOUNT.test(text) ? BigInt(text.replace(/\D/g, '')) : MAX_QUARTERS + 1n;
  return { kind: 'text', text, amount: amount > MAX_QUARTERS ? null : asQuarters(amount) };
}

/** What the requests of a step must fulfil; null if none of them can. */
async function filterOf(
  { db }: Deps,
  step: Step,
  { kind, appId }: ActivitySearch,
  term: Exclude<Term, { kind: 'id' }>,
): Promise<RequestSearch | null> {
  if (term.kind === 'none') return { kind, appId };
  if (term.kind === 'hash') {
    const ids = await requestsInTransaction(db, await idsOfStep(db, step), term.hash);
    return ids.length > 0 ? { kind, appId, ids } : null;
  }
  const { text, amount } = term;
  const apps = await findApps(db, await appsOfStep(db, step));
  const named = [...apps.values()].filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  return { kind, appId, says: { appIds: named.map(({ id }) => id), text, amount } };
}

/** The same for transfers without an app. They have no name and no message, so only an amount or a transaction finds them. */
export async function findActivityPostings(
  { db }: Deps,
  address: Address,
  { kind, appId, text }: ActivitySearch,
  before: PostingPosition | null,
  limit: number,
): Promise<OutsidePosting[]> {
  const term = termOf(text);
  const { amount = null, hash = null } = { ...term } as { amount?: Quarters | null; hash?: Hash };
  const none = term.kind !== 'none' && amount === null && hash === null;
  if (appId !== undefined || kind === 'waiting' || kind === 'failed' || none) return [];
  const direction = kind === 'received' ? 'in' : kind === 'payments' ? 'out' : null;
  return listOutsidePostings(db, address, before, limit, { direction, amount, txHash: hash });
}
