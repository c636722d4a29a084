import type { Hash } from '../../base/hex.ts';
import type { TransferId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { findOperator, takeNonces } from '../../chain/relayers.ts';
import type { Tx } from '../../db/database.ts';
import { findAccounts, storedKeys } from '../../ledger/accounts.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { cancellation, signBundles } from '../../settlement/accept/signing.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { insertTransactions } from '../../settlement/tables/transactions.ts';
import { addFurtherTransaction, startCancelling } from '../../settlement/tables/transfer-transitions.ts';
import { findTransfers } from '../../settlement/tables/transfers.ts';

/**
 * Asks the chain to cancel a transfer on its way. Nothing is released yet: the authorization is public and may still be paid until the
 * chain shows the cancellation. Whichever is mined first counts: `failed`, or `completed`.
 *
 * If a reward pays part of a payment, both transfers are cancelled, each by itself, because half a payment helps nobody.
 *
 * `reason`: the operator's note. Returns the hash of the transaction that cancels the named transfer.
 */
export async function cancelTransferIn(service: Service, tx: Tx, id: TransferId, reason?: string): Promise<Hash> {
  refuseInTheDark(service);
  // A payment may have two transfers, and a block settles its transfers in any order.
  await waitForFollowing(tx);
  const operator = await findOperator(tx);
  const transfers = await startCancelling(tx, id);
  if (transfers.length === 0) throw await refusal(tx, id);
  const keys = await storedKeys(
    tx,
    transfers.map(({ from }) => from),
  );
  const bundles = transfers.map((transfer) => {
    const storedKey = keys.get(transfer.from);
    if (!storedKey) throw new Error(`The key of ${transfer.from} is not ours`);
    return cancellation(service, transfer, storedKey);
  });
  const firstNonce = await takeNonces(tx, operator.address, bundles.length);
  const signed = await signBundles(service, operator, firstNonce, bundles);
  await insertTransactions(tx, signed);
  for (const [i, { id }] of transfers.entries()) await addFurtherTransaction(tx, id, signed[i]!);
  // The note speaks of the player who pays or is paid, and goes with their account.
  const addresses = transfers.flatMap(({ from, to }) => [from, to]);
  const about = (await findAccounts(tx, { addresses })).find(({ userId }) => userId !== null)?.userId ?? undefined;
  await recordChange(tx, { action: 'transfer-cancelled', subject: { kind: 'transfer', id }, reason, about });
  return signed[0]!.hash;
}

async function refusal(tx: Tx, id: TransferId): Promise<Problem> {
  const [transfer] = await findTransfers(tx, [id]);
  if (!transfer) return new Problem('not-found', 'There is no such transfer.');
  return new Problem('request-decided', `The transfer is ${transfer.status} already.`);
}
