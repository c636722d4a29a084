import type { AppId, RequestId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import type { Service } from '../../service/service.ts';
import { findPayments, type PaymentPage, searchPayments } from '../../views/payments/search-payments.ts';
import { cursorIn, filterOf, paymentsQuery, termIn } from './payments-filter.ts';
import type { ListedPayments } from './payments-list.ts';

const PER_PAGE = 25;
const NONE: PaymentPage = { requests: [], next: null, isFull: false, archived: null };

/** What an address asks of an app's payments: a page of the list, or the one payment that it names. `query`: unchecked input. */
export async function readPayments(
  service: Pick<Service, 'db' | 'reads' | 'rpc'>,
  appId: AppId,
  typed: unknown,
): Promise<Omit<ListedPayments, 'places'> | { readonly only: RequestId }> {
  const query = paymentsQuery(typed);
  const before = cursorIn(typed);
  const term = termIn(query);
  const view = { query, isFirst: before === null };
  if (term?.kind !== 'id' && term?.kind !== 'hash') {
    return { ...view, page: await searchPayments(service, appId, filterOf(query), before, PER_PAGE) };
  }
  // A name of one payment finds it, whatever else is asked for.
  const found = await findPayments(service, appId, term).catch(asNotice);
  if ('notice' in found) return { ...view, page: NONE, ...found };
  const [only] = found;
  return only && found.length === 1 ? { only: only.id } : { ...view, page: { ...NONE, requests: found } };
}

/** Says on the page that the chain's node does not answer, or that the payment is archived. */
function asNotice(error: unknown): { notice: string } {
  const isSaid = error instanceof Problem && (error.code === 'chain-unavailable' || error.code === 'archived');
  if (isSaid) return { notice: error.message };
  throw error;
}
