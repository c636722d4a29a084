import { type Address, ZERO_ADDRESS } from '../../../base/address.ts';
import type { AppId, RequestId } from '../../../base/ids.ts';
import { Problem } from '../../../base/problems.ts';
import type { AccountKind } from '../../../ledger/accounts.ts';
import { readDetached } from '../../../ledger/archived-months.ts';
import { endOfPostingPage } from '../../../ledger/audit.ts';
import { newestPosting, readCursor } from '../../../ledger/blocks.ts';
import { lastBlockBefore, type OwnedPosting, postingsOfBlocks } from '../../../ledger/posting-pages.ts';
import { sourcesOfRequests } from '../../../requests/request-list.ts';
import type { TransferRequest } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { type Moved, type Purpose, purposeOf, sideOf } from '../../../settlement/purpose.ts';
import { type PaidTransfer, transfersPaidIn } from '../../../settlement/tables/completed-transfers.ts';
import type { Period } from '../base/periods.ts';

/** A posting, and what it was for. */
export type ExportedPosting = OwnedPosting & {
  readonly kind: Purpose;
  /** Whose account is one of the two. If both are apps', the sender's. */
  readonly appId: AppId | null;
  /** The request that it paid; null if it paid none. */
  readonly requestId: RequestId | null;
};

/** Pages end with the block of about this posting. A block is never cut. It holds no more logs than its gas allows. */
const PAGE = 500;

/**
 * The postings of a period in the chain's order, in pages, so that they are never in memory as a whole. `appId`: those of this app's
 * account only. `most`: postings of a page, which ends with a whole block. Each page is a short transaction of its own. Ends with an error if a
 * reorganisation has changed what was already read. Throws `archived` if a part of the period is in files only.
 */
export async function exportPostings(
  service: Pick<Service, 'reads'>,
  period: Pick<Period, 'from' | 'until'>,
  appId: AppId | null = null,
  most = PAGE,
): Promise<AsyncGenerator<readonly ExportedPosting[]>> {
  await requireAttached(service, period);
  return pagesOf(service, period, appId, most);
}

async function requireAttached({ reads }: Pick<Service, 'reads'>, { from }: Pick<Period, 'from'>): Promise<void> {
  const detached = await readDetached(reads);
  if (!detached || from >= detached.until) return;
  const said = `Postings up to the end of ${detached.month} are archived in files.`;
  throw new Problem('archived', `${said} To export them, attach their months: npx quarters archive attach`);
}

async function* pagesOf(
  { reads }: Pick<Service, 'reads'>,
  { from, until }: Pick<Period, 'from' | 'until'>,
  appId: AppId | null,
  most: number,
): AsyncGenerator<readonly ExportedPosting[]> {
  const { after, upTo } = await blocksOf({ reads }, from, until);
  const last = await newestPosting(reads, upTo);
  for (let at = after; at < upTo; ) {
    const { end, postings } = await readPage(reads, at, upTo, most);
    const shown = appId
      ? postings.filter(({ fromAppId, toAppId }) => fromAppId === appId || toAppId === appId)
      : postings;
    if (shown.length > 0) yield shown;
    at = end;
  }
  if ((await newestPosting(reads, upTo))?.hash !== last?.hash) {
    throw new Error('The chain was reorganised while its postings were read. Export them again.');
  }
  // Pages that were read after their month was detached lack its postings.
  await requireAttached({ reads }, { from });
}

/** The whole blocks of a period that are posted now: those after one and up to another. */
async function blocksOf(
  { reads }: Pick<Service, 'reads'>,
  from: Date,
  until: Date,
): Promise<{ readonly after: bigint; readonly upTo: bigint }> {
  const cursor = await readCursor(reads);
  if (!cursor) return { after: -1n, upTo: -1n };
  const upTo = await lastBlockBefore(reads, until, cursor.complete ? cursor.number : cursor.number - 1n);
  return { after: await lastBlockBefore(reads, from, upTo), upTo };
}

type PostingPage = { readonly end: bigint; readonly postings: readonly ExportedPosting[] };

function readPage(reads: Service['reads'], after: bigint, upTo: bigint, most: number): Promise<PostingPage> {
  return reads.snapshot(async (tx) => {
    const edge = await endOfPostingPage(tx, after, most);
    const end = edge === null || edge > upTo ? upTo : edge;
    const [postings, transfers] = await Promise.all([
      postingsOfBlocks(tx, after, end),
      transfersPaidIn(tx, after, end),
    ]);
    const sources = await sourcesOfRequests(
      tx,
      transfers.flatMap(({ requestId }) => requestId ?? []),
    );
    return { end, postings: explain(postings, transfers, sources) };
  });
}

/**
 * Finds each posting's transfer. A completed transfer has one log, in the same transaction, with the same accounts and amount (the audit
 * compares them). Several that are alike in all of this are taken in turn.
 */
function explain(
  postings: readonly OwnedPosting[],
  transfers: readonly PaidTransfer[],
  sources: ReadonlyMap<RequestId, Pick<TransferRequest, 'source' | 'appId'>>,
): ExportedPosting[] {
  const keyOf = ({ txHash, from, to, amount }: Pick<PaidTransfer, 'txHash' | 'from' | 'to' | 'amount'>) =>
    `${txHash} ${from} ${to} ${amount}`;
  const alike = Map.groupBy(transfers, keyOf);
  return postings.map((posting) => {
    const transfer = alike.get(keyOf(posting))?.shift();
    const requestId = transfer?.requestId ?? null;
    const source = requestId ? (sources.get(requestId)?.source ?? null) : null;
    const appId = posting.fromAppId ?? posting.toAppId;
    return { ...posting, kind: purposeOf(movedBy(posting), transfer ? { source } : null), appId, requestId };
  });
}

function movedBy({ from, to, fromKind, toKind, isMove }: OwnedPosting): Moved {
  const side = (address: Address, kind: AccountKind) => (address === ZERO_ADDRESS ? 'none' : sideOf(kind));
  return { from: side(from, fromKind), to: side(to, toKind), isMove };
}
