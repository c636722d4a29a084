import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId, UserId } from '../../base/ids.ts';
import type { Caller } from '../../identity/callers.ts';
import { findAccountOfApp, findAccountOfUser } from '../../ledger/accounts.ts';
import { stretchOf } from '../../requests/request-list.ts';
import type { Service } from '../../settlement/service.ts';
import {
  listTransfers as list,
  type TransferFilter,
  type TransferPosition,
} from '../../settlement/tables/transfer-list.ts';
import { visibleTo } from '../requests/list-requests.ts';
import { type TransferView, viewTransfers } from './transfer-view.ts';

export type TransferQuery = Omit<TransferFilter, 'direction'> & {
  /** To or from the caller's own account. */
  readonly direction: 'in' | 'out' | null;
  readonly userId: UserId | null;
  readonly limit: number;
  /** Where the previous page ended. */
  readonly after: TransferPosition | null;
};

/**
 * `next`: where the next page begins; null if there is no more. A page may be short or even empty without being the
 * last.
 */
export type TransferPage = { readonly transfers: readonly TransferView[]; readonly next: TransferPosition | null };

const LOWEST = '00000000-0000-0000-0000-000000000000' as TransferId;

/**
 * The transfers of the app's requests, or of the user's through the token's app, those of the newest request first.
 * Paging neither repeats nor leaves out a transfer that existed when it began.
 */
export async function listTransfers(service: Service, caller: Caller, query: TransferQuery): Promise<TransferPage> {
  const whose = visibleTo(caller, query.userId);
  if (!whose) return { transfers: [], next: null };
  const { after, limit } = query;
  const stretch = await stretchOf(service.db, whose, after?.request ?? null, query);
  const direction = query.direction && { of: await ownAddress(service, caller), way: query.direction };
  const found = await list(service.db, { ...whose, ...stretch }, after, { ...query, direction }, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const edge = stretch.more ? { request: stretch.from as RequestId, transfer: LOWEST } : null;
  return {
    transfers: await viewTransfers(service, page),
    next: found.length > limit ? { request: last!.requestId!, transfer: last!.id } : edge,
  };
}

async function ownAddress({ db }: Service, caller: Caller): Promise<Address> {
  const account = await (caller.kind === 'user'
    ? findAccountOfUser(db, caller.userId)
    : findAccountOfApp(db, caller.appId));
  if (!account) throw new Error(`The ${caller.kind} has no account`);
  return account.address;
}
