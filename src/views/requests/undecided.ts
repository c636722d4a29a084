import { type TransferRequest, waitingAmong } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { mayAct } from '../../settlement/may-act.ts';

/**
 * The requests as nobody has decided them yet: while the database may be older than the chain, one whose time is over may have been paid in
 * time. So it counts as pending, and not as expired, until a restore has looked.
 */
export async function undecidedInTheDark<Request extends Pick<TransferRequest, 'id' | 'status'>>(
  { db, readiness }: Pick<Service, 'db' | 'readiness'>,
  requests: readonly Request[],
): Promise<Request[]> {
  const expired = mayAct(readiness) ? [] : requests.flatMap(({ id, status }) => (status === 'expired' ? [id] : []));
  if (expired.length === 0) return [...requests];
  const waiting = new Set(await waitingAmong(db, expired));
  return requests.map((request) => (waiting.has(request.id) ? { ...request, status: 'pending' as const } : request));
}
