import { transferIdFrom } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { attemptsFor } from '../../settlement/tables/transaction-attempts.ts';
import { findTransfers, type Transfer } from '../../settlement/tables/transfers.ts';
import { openConfirmations, type ShownAttempt } from '../transfers/confirmations.ts';
import { type Owners, ownersOf } from './address-owners.ts';

/** A transfer with its whole life. */
export type InspectedTransfer = {
  readonly transfer: Transfer;
  /** Null without an app. */
  readonly request: TransferRequest | null;
  /** Every transaction that has carried it, oldest first. */
  readonly attempts: readonly ShownAttempt[];
  readonly owners: Owners;
};

/** A transfer for an operator. `id` may be unchecked input. Throws `not-found`. */
export async function inspectTransfer(
  service: Pick<Service, 'db' | 'settings' | 'chain'>,
  id: string,
): Promise<InspectedTransfer> {
  const { db } = service;
  const known = transferIdFrom(id);
  const [transfer] = known ? await findTransfers(db, [known]) : [];
  if (!transfer) throw new Problem('not-found', `There is no transfer "${id}".`);
  const [request, attempts, owners, withConfirmations] = await Promise.all([
    transfer.requestId && lookUpRequest(db, transfer.requestId),
    attemptsFor(db, transfer.id),
    ownersOf(service, [transfer.from, transfer.to]),
    openConfirmations(service),
  ]);
  return { transfer, request: request || null, attempts: attempts.map(withConfirmations), owners };
}

/** What a transfer without a request is for. */
export function purposeOf({ transfer: { from, to }, owners }: Pick<InspectedTransfer, 'transfer' | 'owners'>): string {
  const [payer, payee] = [owners.get(from)?.kind, owners.get(to)?.kind];
  if (payer === 'treasury') return 'Issued by the operator';
  if (payee === 'treasury') return 'Returned from a closed account';
  return payer === 'user' && payee === 'outside' ? 'Withdrawal' : 'Moved to another account';
}
