import { takeNonces } from '../chain/relayers.ts';
import type { Tx } from '../db/database.ts';
import { sealedKeys } from '../ledger/accounts.ts';
import { lockFollowing, readCursor } from '../ledger/blocks.ts';
import { nextRelayer } from './accept/choose-relayer.ts';
import { cancellation, type Parcel, payment, signParcels } from './accept/signing.ts';
import type { Service } from './service.ts';
import { insertTransactions } from './tables/transactions.ts';
import { lockStrandedTransfers } from './tables/transfer-transitions.ts';
import { setTransferTransaction, type Transfer } from './tables/transfers.ts';

const MOST = 100;

type Deps = Pick<Service, 'db' | 'vault' | 'chain' | 'settlement' | 'log'>;

/**
 * Gives transfers that lost their transaction (it reverted, or its nonce was used) a new one each, with the same
 * authorization. The chain accepts an authorization once, so this cannot pay twice. Transfers to be cancelled get a
 * cancellation. Returns true if there may be more to do at once.
 */
export async function reissueStranded(service: Deps): Promise<boolean> {
  const relayer = nextRelayer(service.settlement, 0);
  return service.db.transaction(async (tx) => {
    // While a block is half posted, a transfer may look stranded only because its log comes in the next chunk.
    if (!(await lockFollowing(tx)) || !(await readCursor(tx))?.complete) return false;
    const stranded = await lockStrandedTransfers(tx, MOST);
    if (stranded.length === 0) return false;
    const parcels = await newParcels(service, tx, stranded);
    const firstNonce = await takeNonces(tx, relayer.address, parcels.length);
    const signed = signParcels(service, relayer, firstNonce, parcels);
    await insertTransactions(
      tx,
      signed.map((parcel, i) => ({ ...parcel, kind: stranded[i]?.cancelling ? 'cancel' : 'pay' })),
    );
    for (const { cargo, hash } of signed) await setTransferTransaction(tx, cargo, hash);
    service.log.warn({ transfers: stranded.map(({ id }) => id) }, 'transfers were given a new transaction');
    return stranded.length === MOST;
  });
}

async function newParcels(service: Deps, tx: Tx, stranded: readonly Transfer[]): Promise<Parcel[]> {
  const payers = stranded.filter(({ cancelling }) => cancelling).map(({ from }) => from);
  const keys = await sealedKeys(tx, payers);
  return stranded.map((transfer) =>
    transfer.cancelling
      ? cancellation(service, transfer, keys.get(transfer.from)!)
      : payment(service, [[transfer.id, transfer]]),
  );
}
