import type { Address } from '../../base/address.ts';
import { asQuarters, lesser, type Quarters } from '../../base/quarters.ts';
import type { Queries } from '../../db/database.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import type { User } from '../../identity/users.ts';
import { listWithdrawalAddresses, type WithdrawalAddress } from '../../identity/withdrawal-addresses.ts';
import { readCursor } from '../../ledger/blocks.ts';
import { listWithdrawalsOf, readWithdrawn, youngDeposits } from '../../ledger/withdrawals.ts';
import type { Service } from '../../service/service.ts';
import { leftOfDay, withdrawable } from '../../settlement/accept/kinds/withdrawal.ts';
import { knownFinalBlock } from '../../settlement/finality.ts';
import { findTransfers, type Transfer } from '../../settlement/tables/transfers.ts';
import { readWallet } from './read-account.ts';

/** What a person may withdraw now, and why not more. */
export type Withdrawals = {
  readonly hasPasskey: boolean;
  readonly addresses: readonly WithdrawalAddress[];
  /** The least of what follows. */
  readonly now: Quarters;
  readonly held: Quarters;
  /** Came in, and is not final yet. */
  readonly young: Quarters;
  readonly leftOfOwn: Quarters;
  readonly leftOfAll: Quarters;
  /** What was accepted in the last 24 hours, newest first. */
  readonly recent: readonly RecentWithdrawal[];
};

export type RecentWithdrawal = Pick<Transfer, 'amount' | 'status'> & {
  readonly to: Address;
  readonly acceptedAt: Date;
};

/** Others may withdraw meanwhile, so accepting decides again. */
export async function readWithdrawals(
  service: Pick<Service, 'db' | 'settings' | 'settlement'>,
  user: Pick<User, 'id'>,
): Promise<Withdrawals> {
  const { db, settings } = service;
  const [{ account }, cursor, addresses, passkeys, withdrawn, recent] = await Promise.all([
    readWallet({ db }, user),
    readCursor(db),
    listWithdrawalAddresses(db, user.id),
    listPasskeys(db, user.id),
    readWithdrawn(db, [user.id]),
    listWithdrawalsOf(db, user.id),
  ]);
  const block = cursor && knownFinalBlock(service, cursor.number);
  const [young, transfers] = await Promise.all([
    block === null ? account.posted : readYoung(db, account.address, block),
    findTransfers(
      db,
      recent.map(({ transferId }) => transferId),
    ),
  ]);
  const left = leftOfDay(settings, { own: withdrawn.ofUsers.get(user.id) ?? 0n, all: withdrawn.all });
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  return {
    ...{ hasPasskey: passkeys.length > 0, addresses, held: account.held, young },
    ...{ leftOfOwn: left.own, leftOfAll: left.all },
    now: lesser(withdrawable(account, young, settings), lesser(left.own, left.all)),
    recent: recent.flatMap(({ transferId, acceptedAt }) => {
      const transfer = byId.get(transferId);
      return transfer ? [{ amount: transfer.amount, status: transfer.status, to: transfer.to, acceptedAt }] : [];
    }),
  };
}

async function readYoung(db: Queries, address: Address, block: bigint): Promise<Quarters> {
  return (await youngDeposits(db, [{ address, block }])).get(address) ?? asQuarters(0);
}
