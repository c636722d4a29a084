import { madeAt, type RequestId } from '../../base/ids.ts';
import { asQuarters } from '../../base/quarters.ts';
import { markOfRefund } from '../../custody/payment-nonces.ts';
import type { Tx } from '../../db/database.ts';
import { findAccounts } from '../../ledger/accounts.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { insertRecoveredRequests } from '../../requests/recovered-requests.ts';
import { findRequests, type NewRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { type UnnamedPayout, unnamedPayoutsUnder } from '../../settlement/tables/recovered.ts';
import type { Transfer } from '../../settlement/tables/transfers.ts';
import { MOST_MISSING, recordRefunds } from './name-refunds.ts';
import { joinParts, shownParts } from './name-requests.ts';

/**
 * Makes a request again, with its refunds, that an app has made and a user has paid since the backup: who asks for it by its id was given
 * the id, and the chain names it. Only its text is lost. Does nothing if no database was restored, if the request exists, if a reward
 * paid all of it, which does not say whose it was, or if its user is not known again yet.
 */
export async function reviveRequest(service: Service, id: RequestId): Promise<void> {
  const { db, readiness, settings } = service;
  if (!readiness.recovered || (await findRequests(db, [id])).length > 0) return;
  const [shown] = await shownParts(service, [id]);
  if (!shown?.own || shown.own.requestId || shown.cancelled) return;
  const { own, reward } = shown;
  const parties = await partiesOf(service, own);
  if (!parties) return;
  const amount = asQuarters(own.amount + (reward?.amount ?? 0n));
  const request: NewRequest = {
    ...{ id, ...parties, source: 'user', from: own.from, to: own.to, amount, description: '' },
    ttlSeconds: settings.requestTtlSeconds,
  };
  await db.transaction(async (tx) => {
    await waitForFollowing(tx);
    if ((await findRequests(tx, [id])).length > 0) return;
    await insertRecoveredRequests(tx, [{ ...request, at: madeAt(id) }]);
    await joinParts(tx, [{ request, own, reward }]);
    const refunds = await refundsOf(tx, service, request);
    await recordRefunds(
      tx,
      service,
      refunds.map((payout) => ({ payment: request, payout })),
    );
  });
}

async function partiesOf({ db }: Pick<Service, 'db'>, { from, to }: Transfer) {
  const accounts = await findAccounts(db, { addresses: [from, to] });
  const userId = accounts.find(({ address }) => address === from)?.userId;
  const appId = accounts.find(({ address }) => address === to)?.appId;
  return userId && appId ? { userId, appId } : null;
}

/** The refunds of a payment, as many as there are without a gap of more than {@link MOST_MISSING}. */
async function refundsOf(tx: Tx, { vault }: Service, { id, from, to }: NewRequest): Promise<UnnamedPayout[]> {
  const found: UnnamedPayout[] = [];
  for (let number = 0; ; number += MOST_MISSING) {
    const marks = Array.from({ length: MOST_MISSING }, (_, i) => markOfRefund(vault.seed, id, number + i));
    const payouts = await unnamedPayoutsUnder(tx, marks);
    found.push(...payouts.filter((payout) => payout.from === to && payout.to === from));
    if (payouts.length === 0) return found;
  }
}
