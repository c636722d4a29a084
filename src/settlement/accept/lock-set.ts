import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { lockKeyDays, revokedAmong } from '../../identity/key-caps.ts';
import { lockMandates } from '../../identity/mandates.ts';
import { holdGuests } from '../../identity/users.ts';
import { closedAmong, type LockedAccount, lockAccounts } from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { lockRewards } from '../../ledger/reward-claims.ts';
import { holdSessions } from '../../oauth/sessions.ts';
import { lockRequests, refundedOf } from '../../requests/requests.ts';
import { type Approval, type Instruction, type LockedRows, type Payout, refundedBy, usedKey } from './instruction.ts';

/**
 * Locks the rows that instructions depend on, in this order: app keys → guests → requests → mandates → rewards →
 * sessions → accounts.
 */
export async function lockRows(tx: Tx, orders: readonly Instruction[]): Promise<LockedRows> {
  const payouts = orders.map(({ origin }) => origin).filter((origin): origin is Payout => origin.kind === 'payout');
  const keys = orders.flatMap(({ origin }) => usedKey(origin) ?? []);
  const keyDays = await lockKeyDays(
    tx,
    keys.filter(({ cap }) => cap).map(({ hash }) => hash),
  );
  const approvals = approvalsOf(orders);
  const guests = await holdGuests(
    tx,
    approvals.filter(({ guest }) => guest).map(({ userId }) => userId),
  );
  const refunds = orders.flatMap(({ origin }) => refundedBy(origin) ?? []);
  const requests = await lockRequests(tx, [...approvals.map(({ requestId }) => requestId), ...refunds]);
  // Read under the payments' locks: another refund of the same payment waits until this one is committed.
  const refunded = await refundedOf(tx, refunds);
  const standing = await lockMandates(
    tx,
    approvals.filter(({ by, grant }) => by === 'standing' || grant),
  );
  const rewards = await lockRewards(
    tx,
    approvals.map(({ userId }) => userId),
  );
  const sessions = await holdSessions(
    tx,
    approvals.flatMap(({ session }) => session ?? []),
  );
  const accounts = await lockAccounts(
    tx,
    orders.map(({ from }) => from),
  );
  const orphaned = await orphanedDeposits(tx, shortPayers(orders, accounts));
  const revokedKeys = await revokedAmong(
    tx,
    keys.map(({ hash }) => hash),
  );
  const closed = await closedAmong(
    tx,
    payouts.map(({ request }) => request.to),
  );
  const approvedHere = new Map<RequestId, TransferId>();
  const held = { keyDays, guests, requests, standing, rewards, sessions, accounts, orphaned };
  return { ...held, revokedKeys, refunded, closed, approvedHere };
}

/** Payers whose balance does not cover all they are to pay, at least without rewards. Usually nobody. */
function shortPayers(orders: readonly Instruction[], accounts: LockedRows['accounts']): Address[] {
  const wanted = new Map<Address, bigint>();
  for (const { from, amount } of orders) wanted.set(from, (wanted.get(from) ?? 0n) + amount);
  return [...wanted].filter(([from, sum]) => !isCovered(accounts.get(from), sum)).map(([from]) => from);
}

function isCovered(account: LockedAccount | undefined, sum: bigint): boolean {
  return account !== undefined && account.posted - account.held >= sum;
}

export function approvalsOf(orders: readonly Instruction[]): Approval[] {
  return orders.map(({ origin }) => origin).filter((origin): origin is Approval => origin.kind === 'approval');
}
