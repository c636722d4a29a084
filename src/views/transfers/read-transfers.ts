import type { Address } from '../../base/address.ts';
import { type Hash, hashFrom } from '../../base/hex.ts';
import { LOWEST_ID, type RequestId, type TransferId, type UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { listRelayers } from '../../chain/relayers.ts';
import { RpcUnreachable } from '../../chain/rpc.ts';
import { readSender } from '../../chain/state.ts';
import type { Queries } from '../../db/database.ts';
import type { Caller } from '../../identity/callers.ts';
import { lookUpAccountOfApp, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { formerAddresses } from '../../ledger/swept-accounts.ts';
import { stretchOf } from '../../requests/request-list.ts';
import { findRequests, lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import { completedAt } from '../../requests/transitions.ts';
import type { Service } from '../../service/service.ts';
import { attemptsFor, type TransactionAttempt } from '../../settlement/tables/transaction-attempts.ts';
import { findUnminedTransaction } from '../../settlement/tables/transactions.ts';
import {
  findConfirmedTransfers,
  readTransferPage,
  type TransferFilter,
  type TransferPosition,
} from '../../settlement/tables/transfer-list.ts';
import {
  findTransferByTransaction,
  findTransfers,
  findTransfersOfRequests,
  type Transfer,
} from '../../settlement/tables/transfers.ts';
import { confirmApproved } from '../requests/confirm-approved.ts';
import { archivedBefore, notHere, requireNotArchived } from '../requests/not-here.ts';
import { mayRead, visibleTo } from '../requests/read-requests.ts';

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
 * last. `archivedBefore`: see {@link archivedBefore}.
 */
export type TransferPage = {
  readonly transfers: readonly TransferView[];
  readonly next: TransferPosition | null;
  readonly archivedBefore: Date | null;
};

/**
 * The transfers of the app's requests, or of the user's through the token's app, those of the newest request first.
 * Paging neither repeats nor leaves out a transfer that existed when it began.
 */
export async function listTransfers(service: Service, caller: Caller, query: TransferQuery): Promise<TransferPage> {
  const whose = visibleTo(caller, query.userId);
  if (!whose) return { transfers: [], next: null, archivedBefore: null };
  const { after, limit } = query;
  const { reads } = service;
  const stretch = await stretchOf(reads, whose, after?.request ?? null, query);
  const direction = query.direction && { of: await ownAddresses(service, caller), way: query.direction };
  const found = await readTransferPage(reads, { ...whose, ...stretch }, after, { ...query, direction }, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const edge = stretch.more ? { request: stretch.from, transfer: LOWEST_ID as TransferId } : null;
  const next = found.length > limit ? { request: last!.requestId!, transfer: last!.id } : edge;
  return {
    transfers: await viewTransfers(reads, await confirmed(service, page, query.statuses)),
    next,
    archivedBefore: await archivedBefore(reads, next),
  };
}

/** The caller's address, and those that it has left. */
async function ownAddresses({ db }: Service, caller: Caller): Promise<Address[]> {
  const account = await (caller.kind === 'user'
    ? lookUpAccountOfUser(db, caller.userId)
    : lookUpAccountOfApp(db, caller.appId));
  if (!account) throw new Error(`The ${caller.kind} has no account`);
  return [account.address, ...(await formerAddresses(db, [account.address]))];
}

const NONE_OF_YOURS = 'There is no such transfer of yours.';

/** A transfer, for the user its request concerns and for that request's app. Throws `not-found` for everybody else. */
export async function readTransfer(service: Service, caller: Caller, id: TransferId): Promise<TransferView> {
  const [transfer] = await confirmed(service, await findTransfers(service.db, [id]), null);
  const request = transfer?.requestId ? await lookUpRequest(service.db, transfer.requestId) : null;
  if (!transfer) throw await notHere(service.db, id, NONE_OF_YOURS);
  if (!request || !mayRead(caller, request)) throw new Problem('not-found', NONE_OF_YOURS);
  return (await viewTransfers(service.db, [transfer]))[0]!;
}

function confirmed({ db }: Service, transfers: readonly Transfer[], statuses: TransferQuery['statuses']) {
  return confirmApproved(transfers, statuses, (ids) => findConfirmedTransfers(db, ids));
}

/** A transfer as the user and the app of its request see it. */
export type TransferView = Transfer & {
  /** When its request was completed; null before. */
  readonly completedAt: Date | null;
  /** The payment that it refunds. */
  readonly refundOf: RequestId | null;
};

async function viewTransfers(db: Queries, transfers: readonly Transfer[]): Promise<TransferView[]> {
  const ids = [...new Set(transfers.flatMap(({ requestId }) => requestId ?? []))];
  const [requests, completions] = await Promise.all([findRequests(db, ids), completedAt(db, ids)]);
  const byId = new Map(requests.map((request) => [request.id, request]));
  return transfers.map((transfer) => {
    const request = transfer.requestId ? byId.get(transfer.requestId) : undefined;
    return {
      ...transfer,
      completedAt: request?.status === 'completed' ? (completions.get(request.id) ?? null) : null,
      refundOf: request?.refundOf ?? null,
    };
  });
}

export type TransferReport = {
  readonly transfer: Transfer;
  readonly request: TransferRequest | null;
  /** Every transaction that has carried it, oldest first. */
  readonly attempts: readonly TransactionAttempt[];
};

/**
 * Looks transfers up by a transfer's id, a request's id, or any transaction's hash. Returns an empty list if there is none. Throws
 * `chain-unavailable` for a hash that only the node knows, if it does not answer.
 */
export async function showTransfer(service: Pick<Service, 'db' | 'rpc'>, key: string): Promise<TransferReport[]> {
  const { db } = service;
  const transfers = await lookUp(service, key);
  if (transfers.length === 0 && !hashFrom(key)) await requireNotArchived(db, key);
  return Promise.all(
    transfers.map(async (transfer) => ({
      transfer,
      request: transfer.requestId ? await lookUpRequest(db, transfer.requestId) : null,
      attempts: await attemptsFor(db, transfer.id),
    })),
  );
}

async function lookUp(service: Pick<Service, 'db' | 'rpc'>, key: string): Promise<Transfer[]> {
  const { db } = service;
  const hash = hashFrom(key);
  if (hash) {
    const sender = await senderOfTransaction(service, hash);
    const transfer = sender && (await findTransferByTransaction(db, { ...sender, hash }));
    return transfer ? [transfer] : [];
  }
  const byId = await findTransfers(db, [key as TransferId]);
  return byId.length > 0 ? byId : findTransfersOfRequests(db, [key as RequestId]);
}

/**
 * The relayer and nonce of a transaction; null if nobody knows it. The database has no index of all hashes, but one of relayers and
 * nonces. The node knows them for every transaction it has mined. Throws `chain-unavailable` if it has to be asked and does not answer.
 */
export async function senderOfTransaction(
  { db, rpc }: Pick<Service, 'db' | 'rpc'>,
  hash: Hash,
): ReturnType<typeof readSender> {
  const relayers = (await listRelayers(db)).map(({ address }) => address);
  const unmined = await findUnminedTransaction(db, hash, relayers);
  if (unmined) return unmined;
  return readSender(rpc, hash).catch((error: unknown) => {
    if (!(error instanceof RpcUnreachable)) throw error;
    const detail = 'The chain node does not answer, and a mined transaction is looked up there.';
    throw new Problem('chain-unavailable', `${detail} Try again, or use the id of the transfer or request.`);
  });
}
