import type { Address } from '../../base/address.ts';
import type { AppId, RequestId, UserId } from '../../base/ids.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import type { OwnWithdrawalAddress } from '../../identity/withdrawal-addresses.ts';
import type { FinalUpTo } from '../../ledger/withdrawals.ts';
import type { Instruction } from '../../service/instruction.ts';

/** The server API key that an instruction came with. `cap`: which of its caps applies; null for none. */
export type UsedKey = { readonly hash: Uint8Array; readonly cap: 'pay' | 'approve' | null };

type OfApp = { readonly userId: UserId; readonly appId: AppId };

/** What a group depends on: what `lockRows` locks and reads. */
export type Wanted = ReturnType<typeof nothingWanted>;

export function nothingWanted() {
  return {
    /** Apps that get a mandate. */
    granting: [] as AppId[],
    /** Who refunds for an app. */
    members: [] as OfApp[],
    /** Hashes of keys of which a cap applies. */
    capped: [] as Uint8Array[],
    /** Guests who approve. */
    guests: [] as UserId[],
    /** Requests that are approved, and payments that are refunded. */
    requests: [] as RequestId[],
    refunds: [] as RequestId[],
    mandates: [] as OfApp[],
    /** Players whose rewards pay first. */
    rewarded: [] as UserId[],
    /** Where withdrawals go. */
    addresses: [] as OwnWithdrawalAddress[],
    sessions: [] as string[],
    withdrawers: [] as UserId[],
    payers: [] as Address[],
    /** Payees that must not be ours. */
    outside: [] as Address[],
    /** Payers of whose quarters only final ones go. */
    finals: [] as FinalUpTo[],
    /** Hashes of all used keys, by `capKey`. */
    keys: new Map<string, Uint8Array>(),
    /** Payees of which it matters whether they are closed. */
    paid: new Set<Address>(),
    /** Payees of which it matters whether they are suspended. */
    approved: new Set<Address>(),
  };
}

export function keysOf({ idempotency, callKey }: Instruction): IdempotencyKey[] {
  return [idempotency, callKey].filter((key) => key !== undefined);
}
