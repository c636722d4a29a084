import type { TransferId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Caller } from '../../identity/callers.ts';
import { findRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';
import { mayRead } from '../requests/read-request.ts';
import { type TransferView, viewTransfers } from './transfer-view.ts';

/** A transfer, for the user its request concerns and for that request's app. Throws `not-found` for everybody else. */
export async function readTransfer(service: Service, caller: Caller, id: TransferId): Promise<TransferView> {
  const [transfer] = await findTransfers(service.db, [id]);
  const request = transfer?.requestId ? await findRequest(service.db, transfer.requestId) : null;
  if (!transfer || !request || !mayRead(caller, request)) {
    throw new Problem('not-found', 'There is no such transfer of yours.');
  }
  return (await viewTransfers(service, [transfer]))[0]!;
}
