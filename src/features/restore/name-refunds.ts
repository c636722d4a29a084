import { LOWEST_ID, newRequestId } from '../../base/ids.ts';
import { markOfRefund } from '../../custody/payment-nonces.ts';
import type { Tx } from '../../db/database.ts';
import { findAccounts } from '../../ledger/accounts.ts';
import { waitForFollowing } from '../../ledger/blocks.ts';
import { completedPayments, insertRecoveredRequests } from '../../requests/recovered-requests.ts';
import { lockRequests, readRefunds, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { nameTransfers, type UnnamedPayout, unnamedPayouts } from '../../settlement/tables/recovered.ts';

const PAGE = 500;
/** A refund that was cancelled on the chain has a number too, and one may be on another page. So many more than are known are looked for. */
export const MOST_MISSING = 5;

/**
 * Finds the payments that recovered transfers refund, and records the refunds. Returns how many. The refunds of a payment may be on several
 * pages, in any order, and each that is found says how many there may be. So all pages are read until nothing new is found.
 */
export async function nameRefunds(service: Service): Promise<number> {
  let all = 0;
  for (;;) {
    let named = 0;
    for (let last: string = LOWEST_ID; ; ) {
      const page = await unnamedPayouts(service.db, last, PAGE);
      if (page.length === 0) break;
      last = page.at(-1)!.id;
      named += await nameAmong(service, page);
    }
    if (named === 0) return all;
    all += named;
  }
}

async function nameAmong(service: Service, page: readonly UnnamedPayout[]): Promise<number> {
  const pairs = await pairsOf(service, page);
  const payments = await completedPayments(service.db, [...pairs.values()]);
  const refunds = new Map<string, UnnamedPayout>(
    page.flatMap((payout) => {
      const pair = pairs.get(placeOf(payout));
      return pair ? [[keyOf(pair, payout.what.subarray(0, 8)), payout] as const] : [];
    }),
  );
  const found = await service.db.transaction(async (tx) => {
    await waitForFollowing(tx);
    const before = await readRefunds(tx, [
      ...(
        await lockRequests(
          tx,
          payments.map(({ id }) => id),
        )
      ).keys(),
    ]);
    const all = payments.flatMap((payment) => {
      const known = before.get(payment.id)?.refunds ?? 0;
      return refundsOf(service, payment, known, refunds).map((payout) => ({ payment, payout }));
    });
    return recordRefunds(tx, service, all);
  });
  return found;
}

/** Not their addresses: they may have others by now. */
type Pair = Pick<TransferRequest, 'appId' | 'userId'>;
const keyOf = ({ appId, userId }: Pair, mark: Buffer) => `${appId} ${userId} ${mark.toString('hex')}`;
const placeOf = ({ from, to }: Pick<UnnamedPayout, 'from' | 'to'>) => `${from} ${to}`;

/** The refunds of a payment among the payouts. `known`: how many it has already. */
function refundsOf(
  { vault }: Pick<Service, 'vault'>,
  { id, ...pair }: TransferRequest,
  known: number,
  payouts: ReadonlyMap<string, UnnamedPayout>,
): UnnamedPayout[] {
  const found: UnnamedPayout[] = [];
  for (let number = 0; number < known + found.length + MOST_MISSING; number++) {
    const payout = payouts.get(keyOf(pair, markOfRefund(vault.seed, id, number)));
    if (payout) found.push(payout);
  }
  return found;
}

/** The apps and users between whom these payouts are. */
async function pairsOf({ db }: Service, page: readonly UnnamedPayout[]): Promise<Map<string, Pair>> {
  const addresses = [...new Set(page.flatMap(({ from, to }) => [from, to]))];
  const accounts = new Map((await findAccounts(db, { addresses })).map((account) => [account.address, account]));
  const pairs = new Map<string, Pair>();
  for (const payout of page) {
    const [appId, userId] = [accounts.get(payout.from)?.appId, accounts.get(payout.to)?.userId];
    if (appId && userId) pairs.set(placeOf(payout), { appId, userId });
  }
  return pairs;
}

type Refund = {
  readonly payment: Pick<TransferRequest, 'id' | 'appId' | 'userId' | 'description'>;
  readonly payout: UnnamedPayout;
};

/** Records refunds of payments. Returns how many were not known. Call it under the follower's lock. */
export async function recordRefunds(
  tx: Tx,
  { settings }: Pick<Service, 'settings'>,
  refunds: readonly Refund[],
): Promise<number> {
  const rows = refunds.map((refund) => ({ ...refund, id: newRequestId() }));
  const named = new Set(
    await nameTransfers(
      tx,
      rows.map(({ id, payout }) => ({ id: payout.id, requestId: id, isSplit: false })),
    ),
  );
  await insertRecoveredRequests(
    tx,
    rows
      .filter(({ payout }) => named.has(payout.id))
      .map(({ id, payment, payout: { from, to, amount, at } }) => ({
        ...{ id, appId: payment.appId, userId: payment.userId, source: 'refund' as const, from, to, amount, at },
        ...{ description: payment.description, refundOf: payment.id, ttlSeconds: settings.requestTtlSeconds },
      })),
  );
  return named.size;
}
