import type { Address } from '../../../base/address.ts';
import { transferIdFrom } from '../../../base/ids.ts';
import { byAddressNow, findAccounts } from '../../../ledger/accounts.ts';
import { lookUpRequest, type TransferRequest } from '../../../requests/requests.ts';
import type { Service } from '../../../service/service.ts';
import { type Moved, type Purpose, purposeOf, sideOf } from '../../../settlement/purpose.ts';
import { attemptsFor } from '../../../settlement/tables/transaction-attempts.ts';
import { findTransfers, type Transfer } from '../../../settlement/tables/transfers.ts';
import { type Owners, ownersOf } from '../../../views/inspection/address-owners.ts';
import { notHere } from '../../../views/requests/not-here.ts';
import { openConfirmations, type ShownAttempt } from '../../../views/transfers/confirmations.ts';

/** A transfer with its whole life. */
export type InspectedTransfer = {
  readonly transfer: Transfer;
  /** Null without an app. */
  readonly request: TransferRequest | null;
  /** Every transaction that has carried it, oldest first. */
  readonly attempts: readonly ShownAttempt[];
  readonly owners: Owners;
  readonly purpose: Purpose;
};

/** A transfer for an operator. `id` may be unchecked input. */
export async function inspectTransfer(
  service: Pick<Service, 'db' | 'reads' | 'settings' | 'chain'>,
  id: string,
): Promise<InspectedTransfer> {
  const { reads } = service;
  const known = transferIdFrom(id);
  const [transfer] = known ? await findTransfers(reads, [known]) : [];
  if (!transfer) throw await notHere(reads, known ?? '', `There is no transfer "${id}".`);
  const [request, attempts, owners, moved, withConfirmations] = await Promise.all([
    transfer.requestId && lookUpRequest(reads, transfer.requestId),
    attemptsFor(reads, transfer.id),
    ownersOf(service, [transfer.from, transfer.to]),
    movedBy(service, transfer),
    openConfirmations(service),
  ]);
  const purpose = purposeOf(moved, { source: request?.source || null });
  return { transfer, request: request || null, attempts: attempts.map(withConfirmations), owners, purpose };
}

async function movedBy({ reads }: Pick<Service, 'reads'>, { from, to }: Transfer): Promise<Moved> {
  const accounts = await byAddressNow(reads, await findAccounts(reads, { addresses: [from, to] }));
  const side = (address: Address) => sideOf(accounts.get(address)?.kind ?? 'external');
  const isMove = from !== to && accounts.get(from)?.address === accounts.get(to)?.address;
  return { from: side(from), to: side(to), isMove };
}
