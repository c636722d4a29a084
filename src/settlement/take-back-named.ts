import type { RequestId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import type { NamedTransfer } from './tables/recovered.ts';
import { transitionRequests } from './transition-requests.ts';

/**
 * What has become of recovered transfers before they were named becomes of their requests, which are completed: a reorganisation may have
 * opened a transfer again, and it may have failed since.
 */
export async function takeBackNamed(tx: Tx, named: readonly NamedTransfer[]): Promise<void> {
  const takenBack = named.filter(({ status }) => status !== 'completed');
  const failed = takenBack.filter(({ status }) => status === 'failed');
  await transitionRequests(tx, requestsOf(takenBack), 'reorg', 'chain');
  await transitionRequests(tx, requestsOf(failed), 'fail', 'chain');
}

function requestsOf(transfers: readonly NamedTransfer[]): RequestId[] {
  return [...new Set(transfers.map(({ requestId }) => requestId))];
}
