import type { Address } from '../../base/address.ts';
import type { RequestId, TransferId, UserId } from '../../base/ids.ts';
import { asQuarters, type Quarters } from '../../base/quarters.ts';
import type { Tx } from '../../db/database.ts';
import { type IdempotencyKey, keyId, type StoredAnswer, takeKeys } from '../../idempotency/keys.ts';
import { holdRoles } from '../../identity/app-members.ts';
import type { AppRole } from '../../identity/app-roles.ts';
import { holdLivingApps } from '../../identity/apps.ts';
import { type KeyDay, lockKeyDays, revokedAmong } from '../../identity/key-caps.ts';
import { lockMandates, type Mandate } from '../../identity/mandates.ts';
import { holdGuests } from '../../identity/users.ts';
import { holdWithdrawalAddresses, type WithdrawalAddressState } from '../../identity/withdrawal-addresses.ts';
import {
  closedAmong,
  findTreasury,
  frozenAmong,
  type LockedAccount,
  lockAccounts,
  oursAmong,
} from '../../ledger/accounts.ts';
import { orphanedDeposits } from '../../ledger/orphaned-deposits.ts';
import { type LockedReward, lockRewards } from '../../ledger/reward-claims.ts';
import { lockWithdrawn, type WithdrawnOfDay, youngDeposits } from '../../ledger/withdrawals.ts';
import { holdSessions } from '../../oauth/sessions.ts';
import { lockLiveRequests, lockRequests } from '../../requests/lock-requests.ts';
import { refundedOf } from '../../requests/refunded.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import type { Instruction } from '../../service/instruction.ts';
import { keysOf, type Wanted } from './wanted-rows.ts';

/**
 * The locked idempotency keys of a group, by {@link keyId}: those of earlier calls with their stored answers, and those
 * taken now.
 */
export type GroupKeys = {
  readonly stored: ReadonlyMap<string, StoredAnswer>;
  readonly taken: ReadonlyMap<string, IdempotencyKey>;
};

/** The locked rows on which an instruction is decided. Accepting one instruction changes them for the next. */
export type LockedRows = {
  /** Of those who refund for an app, by `roleKey`. */
  readonly roles: ReadonlyMap<string, AppRole>;
  readonly keyDays: ReadonlyMap<string, KeyDay>;
  /** Keys without a cap are not locked, but the account they pay from is. */
  readonly revokedKeys: ReadonlySet<string>;
  /** Approving guests who are still guests. */
  readonly guests: ReadonlySet<UserId>;
  readonly requests: ReadonlyMap<RequestId, TransferRequest>;
  readonly mandates: ReadonlyMap<string, Mandate>;
  /** Sessions (uids) of the instructions that have not ended. */
  readonly sessions: ReadonlySet<string>;
  /** What is left of the users' rewards, oldest first. */
  readonly rewards: ReadonlyMap<UserId, readonly LockedReward[]>;
  readonly accounts: ReadonlyMap<Address, LockedAccount>;
  /** For payers who may lack quarters: what a reorganisation took from them and the chain may bring back. */
  readonly orphaned: ReadonlyMap<Address, Quarters>;
  /**
   * Recipients of payouts whose account was closed. They are not locked: an account closed during the decision is emptied
   * afterwards. Each with the account that it was merged into, or null.
   */
  readonly closed: ReadonlyMap<Address, Address | null>;
  /**
   * Accounts of suspended apps that approvals would pay. They are not locked. Suspending an app waits for the decisions that have read them
   * before (`features/apps/suspend.ts`). It relies on that they have locked their payers first.
   */
  readonly suspended: ReadonlySet<Address>;
  /** What was refunded of payments, or is on its way back. */
  readonly refunds: Map<RequestId, Quarters>;
  /** Where rewards come from; null if nobody can use one here. */
  readonly treasury: Address | null;
  /** Requests approved earlier in the same group. */
  readonly approvedHere: Map<RequestId, TransferId>;
  readonly withdrawals: WithdrawalRows;
};

/** On which withdrawals are decided. Nobody else accepts any meanwhile. */
type WithdrawalRows = {
  /** The states of the recipients, by `withdrawalAddressKey`. */
  readonly addresses: ReadonlyMap<string, WithdrawalAddressState>;
  readonly withdrawn: WithdrawnOfDay;
  /** Recipients that are accounts of ours. */
  readonly ours: ReadonlySet<Address>;
  /** What came to the payers and is not final. */
  readonly young: ReadonlyMap<Address, Quarters>;
};

/** Takes each of the group's idempotency keys once: the first locks in the documented order. */
export async function takeGroupKeys(tx: Tx, instructions: readonly Instruction[]): Promise<GroupKeys> {
  const taken = new Map<string, IdempotencyKey>();
  for (const instruction of instructions) for (const key of keysOf(instruction)) taken.set(keyId(key), key);
  const stored = taken.size === 0 ? new Map<string, StoredAnswer>() : await takeKeys(tx, [...taken.values()]);
  for (const id of stored.keys()) taken.delete(id);
  return { stored, taken };
}

/** Calls a store only if there are rows to lock or to read: most transfers need few of the stores. */
async function lockAny<Key, Rows>(
  tx: Tx,
  keys: readonly Key[],
  store: (tx: Tx, keys: readonly Key[]) => Promise<Rows>,
  none: NoInfer<Rows>,
): Promise<Rows> {
  return keys.length === 0 ? none : store(tx, keys);
}

/**
 * Locks the rows that instructions depend on, in this order: apps that get a mandate or whose team refunds → app keys → guests → requests → mandates → rewards →
 * withdrawal addresses → sessions → withdrawals → accounts.
 */
export async function lockRows(tx: Tx, wanted: Wanted, instructions: readonly Instruction[]): Promise<LockedRows> {
  // One round trip: the database runs them in this order. The refunds are read under the payments' locks: another refund of the same
  // payment waits until this one is committed.
  const {
    livingApps: _,
    treasury,
    addresses,
    withdrawn,
    ours,
    young,
    ...rows
  } = await allOf({
    // The foreign key of a new mandate locks its app too, but later. Deleting an app locks it first of all.
    livingApps: lockAny(tx, wanted.granting, holdLivingApps, new Map()),
    roles: lockAny(tx, wanted.members, holdRoles, new Map()),
    keyDays: lockAny(tx, wanted.capped, lockKeyDays, new Map()),
    guests: lockAny(tx, wanted.guests, holdGuests, new Set()),
    // Only a payment that is refunded may be archived.
    requests: lockAny(tx, wanted.requests, wanted.refunds.length > 0 ? lockRequests : lockLiveRequests, new Map()),
    refunds: lockAny(tx, wanted.refunds, refundedOf, new Map()),
    mandates: lockAny(tx, wanted.mandates, lockMandates, new Map()),
    rewards: lockAny(tx, wanted.rewarded, lockRewards, new Map()),
    addresses: lockAny(tx, wanted.addresses, holdWithdrawalAddresses, new Map()),
    sessions: lockAny(tx, wanted.sessions, holdSessions, new Set()),
    withdrawn: lockAny(tx, wanted.withdrawers, lockWithdrawn, { all: asQuarters(0), ofUsers: new Map() }),
    accounts: lockAny(tx, wanted.payers, lockAccounts, new Map()),
    ours: lockAny(tx, wanted.outside, oursAmong, new Set()),
    young: lockAny(tx, wanted.finals, youngDeposits, new Map()),
    revokedKeys: lockAny(tx, [...wanted.keys.values()], revokedAmong, new Set()),
    closed: lockAny(tx, [...wanted.paid], closedAmong, new Map()),
    suspended: lockAny(tx, [...wanted.approved], frozenAmong, new Set()),
    treasury: wanted.rewarded.length === 0 ? null : findTreasury(tx),
  });
  const orphaned = await lockAny(tx, shortPayers(instructions, rows.accounts), orphanedDeposits, new Map());
  return {
    ...rows,
    orphaned,
    treasury: treasury?.address ?? null,
    approvedHere: new Map(),
    withdrawals: { addresses, withdrawn, ours, young },
  };
}

/** All of these, by their names. */
async function allOf<Reads extends object>(reads: Reads): Promise<{ [Name in keyof Reads]: Awaited<Reads[Name]> }> {
  const rows = await Promise.all(Object.values(reads));
  return Object.fromEntries(Object.keys(reads).map((name, i) => [name, rows[i]])) as never;
}

/** Payers whose balance does not cover all they are to pay, at least without rewards. Usually nobody. */
function shortPayers(instructions: readonly Instruction[], accounts: LockedRows['accounts']): Address[] {
  const wanted = new Map<Address, bigint>();
  for (const { from, amount } of instructions) wanted.set(from, (wanted.get(from) ?? 0n) + amount);
  return [...wanted].filter(([from, sum]) => !isCovered(accounts.get(from), sum)).map(([from]) => from);
}

function isCovered(account: LockedAccount | undefined, sum: bigint): boolean {
  return account !== undefined && account.posted - account.held >= sum;
}
