import { type AppId, LOWEST_ID, type RequestId, type TransferId, type UserId } from '../../base/ids.ts';
import { stretchOf, type Whose } from '../../requests/request-list.ts';
import type { Service } from '../../service/service.ts';
import {
  readAllTransfers,
  readTransferPage,
  type TransferFilter,
  type TransferPosition,
} from '../../settlement/tables/transfer-list.ts';
import { findTransfers, type Transfer } from '../../settlement/tables/transfers.ts';

export type TransferSearch = Omit<TransferFilter, 'requestId' | 'direction'> & {
  readonly appId: AppId | null;
  readonly userId: UserId | null;
  /** Where the page before ended: its `next`, or the id of its last transfer. */
  readonly after: string | null;
  readonly limit: number;
};

/** `next`: continues the list; null at its end. A page that is short has looked at as much as one page may. */
export type FoundTransfers = { readonly transfers: readonly Transfer[]; readonly next: string | null };

/** A page that finds little goes on so often, by thousands of transfers. */
const MOST_STRETCHES = 20;

/**
 * Transfers for the operator, newest first: of all apps and of the operator, or the payments with an app, with a user, or with both in the
 * order of their requests. What it reads is bounded.
 */
export async function searchTransfers(
  { reads }: Pick<Service, 'reads'>,
  search: TransferSearch,
): Promise<FoundTransfers> {
  const whose = whoseOf(search);
  const found: Transfer[] = [];
  let after = search.after;
  for (let stretches = 0; stretches < MOST_STRETCHES; stretches++) {
    const most = search.limit + 1 - found.length;
    const page = whose
      ? await pageOfRequests(reads, whose, after, search, most)
      : await pageOfAll(reads, after, search, most);
    found.push(...page.transfers);
    if (found.length > search.limit) {
      const transfers = found.slice(0, search.limit);
      return { transfers, next: transfers.at(-1)!.id };
    }
    after = page.next;
    if (after === null) break;
  }
  return { transfers: found, next: after };
}

function whoseOf({ appId, userId }: TransferSearch): Whose | null {
  if (appId) return { appId, userId };
  return userId && { appId, userId };
}

async function pageOfAll(
  reads: Service['reads'],
  after: string | null,
  search: TransferSearch,
  most: number,
): Promise<FoundTransfers> {
  const { transfers, edge } = await readAllTransfers(reads, after as TransferId | null, search, most);
  return { transfers, next: edge };
}

async function pageOfRequests(
  reads: Service['reads'],
  whose: Whose,
  after: string | null,
  { appId: _app, userId: _user, limit: _limit, after: _after, ...asked }: TransferSearch,
  most: number,
): Promise<FoundTransfers> {
  const position = after === null ? null : await positionOf(reads, after);
  const stretch = await stretchOf(reads, whose, position?.request ?? null, asked);
  const filter = { ...asked, requestId: null, direction: null };
  const transfers = await readTransferPage(reads, { ...whose, ...stretch }, position, filter, most);
  return { transfers, next: stretch.more ? stretch.from : null };
}

/** Of a transfer's id, or of the request that a page without a transfer ended at. */
async function positionOf(reads: Service['reads'], id: string): Promise<TransferPosition> {
  const [transfer] = await findTransfers(reads, [id as TransferId]);
  if (transfer?.requestId) return { request: transfer.requestId, transfer: transfer.id };
  return { request: id as RequestId, transfer: LOWEST_ID as TransferId };
}
