import type { Address } from '../../base/address.ts';
import type { Hash } from '../../base/hex.ts';
import type { RequestId, UserId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { type App, findApps } from '../../identity/apps.ts';
import type { User } from '../../identity/users.ts';
import { type Account, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import type { FoundPostings, OutsidePosting, PostingPosition } from '../../ledger/postings.ts';
import { formerAddresses } from '../../ledger/swept-accounts.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import { approvedByApps } from '../../requests/transitions.ts';
import type { Service } from '../../service/service.ts';
import { type Purpose, purposeOf } from '../../settlement/purpose.ts';
import { transactionsOfRequests } from '../../settlement/tables/transfers.ts';
import { archivedBefore } from '../requests/not-here.ts';
import {
  type ActivitySearch,
  type FoundRequests,
  findActivityPostings,
  findActivityRequests,
  type SearchPace,
} from './search-activity.ts';

/** What an app asked of a person, or paid them. */
type Request = {
  readonly kind: 'request';
  readonly at: Date;
  readonly amount: Quarters;
  readonly request: TransferRequest;
  readonly app: App | undefined;
  /** Approved by the app itself, under a mandate. */
  readonly withoutAsking: boolean;
  /** Null before it is approved. */
  readonly txHash: Hash | null;
};

/** A transfer without an app. */
type Outside = {
  readonly kind: 'outside';
  /** Null if it is unknown and older than everything else. */
  readonly at: Date | null;
  readonly amount: Quarters;
  readonly posting: OutsidePosting;
  readonly txHash: Hash;
};

/** One event that moved a person's quarters, or was meant to. */
export type Activity = Request | Outside;

/** What it was for. Who has its key besides us is not known here: what they took reads as what we would have moved. */
export function purposeOfOutside({ posting: { direction, otherSide } }: Outside): Purpose {
  const other = otherSide === 'guest' ? 'player' : otherSide;
  const [from, to] = direction === 'in' ? ([other, 'player'] as const) : (['player', other] as const);
  return purposeOf({ from, to, isMove: false }, { source: null });
}

/** Where a list continues: after a position in each of its two sources. */
export type ActivityCursor = { readonly request: RequestId | null; readonly posting: PostingPosition | null };

export type ActivityPage = {
  readonly activities: readonly Activity[];
  /** Null if there is no more. */
  readonly next: ActivityCursor | null;
  /** See {@link archivedBefore}. */
  readonly archived: Date | null;
};

const START: ActivityCursor = { request: null, posting: null };

type Deps = Pick<Service, 'reads'>;
type Owner = Pick<User, 'id'>;

/**
 * A page of what was asked of a person, paid to them, and moved from or to the outside, newest first.
 *
 * Each source continues from its own last entry. Nothing is shown twice or left out, whatever the two sources' clocks
 * say. `search`: what of it. A search may end before it has looked at all, with fewer activities and a `next`.
 */
export async function readActivity(
  { reads }: Deps,
  { id }: Owner,
  limit: number,
  before: ActivityCursor = START,
  search: ActivitySearch = {},
  pace?: SearchPace,
): Promise<ActivityPage> {
  const account = await lookUpAccountOfUser(reads, id);
  const [ofRequests, ofPostings] = await Promise.all([
    readRequests({ reads }, id, before.request, limit + 1, search, pace),
    account
      ? readPostings({ reads }, await addressesOf({ reads }, account), before.posting, limit + 1, search, pace)
      : { postings: [], reached: null },
  ]);
  const { requests } = ofRequests;
  const { postings } = ofPostings;
  const activities: Activity[] = [];
  while (activities.length < limit && requests.length + postings.length > 0) {
    // What the search has not reached of one source may be newer than the next entry of the other.
    if (requests.length === 0 && ofRequests.reached && isOlder(postings[0]!.at, ofRequests.reached.createdAt)) break;
    if (postings.length === 0 && ofPostings.reached && isOlder(requests[0]!.at, ofPostings.reached.at)) break;
    activities.push(takeNewer(requests, postings));
  }
  const shown = after(before, activities);
  const next = {
    request: (requests.length === 0 && ofRequests.reached?.id) || shown.request,
    posting: (postings.length === 0 && ofPostings.reached?.position) || shown.posting,
  };
  const isAll = requests.length + postings.length === 0 && !ofRequests.reached && !ofPostings.reached;
  const following = isAll ? null : next;
  return { activities, next: following, archived: await archivedBefore(reads, following) };
}

/** Unknown times are older than all others. */
function isOlder(at: Date | null, than: Date | null): boolean {
  return than !== null && (at === null || at < than);
}

/**
 * The whole activity, in pieces of some hundred, so that a long history is never in memory as a whole. Each source is
 * read once from start to end.
 */
export async function* wholeActivity({ reads }: Deps, { id }: Owner, piece = 500): AsyncGenerator<readonly Activity[]> {
  const account = await lookUpAccountOfUser(reads, id);
  const addresses = account ? await addressesOf({ reads }, account) : [];
  const requests: Request[] = [];
  const postings: Outside[] = [];
  let [moreRequests, morePostings] = [true, account !== null];
  let cursor = START;
  for (;;) {
    if (moreRequests && requests.length === 0) {
      requests.push(...(await readRequests({ reads }, id, cursor.request, piece)).requests);
      moreRequests = requests.length === piece;
    }
    if (morePostings && postings.length === 0) {
      postings.push(...(await readPostings({ reads }, addresses, cursor.posting, piece)).postings);
      morePostings = postings.length === piece;
    }
    const merged: Activity[] = [];
    // Stop when one source has to be read further, because only then is it known which of the two comes next.
    while ((requests.length > 0 || !moreRequests) && (postings.length > 0 || !morePostings)) {
      if (requests.length + postings.length === 0) break;
      merged.push(takeNewer(requests, postings));
    }
    if (merged.length > 0) yield merged;
    cursor = after(cursor, merged);
    if (!moreRequests && !morePostings && requests.length + postings.length === 0) return;
  }
}

async function readRequests(
  { reads }: Deps,
  userId: UserId,
  before: RequestId | null,
  limit: number,
  search: ActivitySearch = {},
  pace?: SearchPace,
): Promise<Omit<FoundRequests, 'requests'> & { readonly requests: Request[] }> {
  const { requests, reached } = await findActivityRequests({ reads }, userId, search, before, limit, pace);
  const ids = requests.map(({ id }) => id);
  const [apps, transactions, unasked] = await Promise.all([
    findApps(
      reads,
      requests.map(({ appId }) => appId),
    ),
    transactionsOfRequests(reads, ids),
    approvedByApps(reads, ids),
  ]);
  const activities = requests.map((request) => ({
    kind: 'request' as const,
    at: request.createdAt,
    amount: request.amount,
    request,
    app: apps.get(request.appId),
    withoutAsking: unasked.has(request.id),
    txHash: transactions.get(request.id) ?? null,
  }));
  return { requests: activities, reached };
}

/** An account's address, and those that it has left. */
async function addressesOf({ reads }: Deps, { address }: Pick<Account, 'address'>): Promise<Address[]> {
  return [address, ...(await formerAddresses(reads, [address]))];
}

async function readPostings(
  { reads }: Deps,
  addresses: readonly Address[],
  before: PostingPosition | null,
  limit: number,
  search: ActivitySearch = {},
  pace?: SearchPace,
): Promise<Omit<FoundPostings, 'postings'> & { readonly postings: Outside[] }> {
  const { postings, reached } = await findActivityPostings({ reads }, addresses, search, before, limit, pace);
  const activities = postings.map((posting) => ({
    kind: 'outside' as const,
    at: posting.at,
    amount: posting.amount,
    posting,
    txHash: posting.txHash,
  }));
  return { postings: activities, reached };
}

/**
 * Removes the newer of the two first entries from its list. Each list keeps its own order, which the cursor depends on.
 */
function takeNewer(requests: Request[], postings: Outside[]): Activity {
  const [request, posting] = [requests[0], postings[0]];
  const fromRequests = !posting || (request && (posting.at === null || request.at >= posting.at));
  return (fromRequests ? requests.shift() : postings.shift())!;
}

function after(before: ActivityCursor, taken: readonly Activity[]): ActivityCursor {
  const request = taken.findLast((activity) => activity.kind === 'request');
  const outside = taken.findLast((activity) => activity.kind === 'outside');
  return {
    request: request?.request.id ?? before.request,
    posting: outside?.posting.position ?? before.posting,
  };
}
