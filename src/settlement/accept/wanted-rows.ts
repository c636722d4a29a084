import type { Address } from '../../base/address.ts';
import type { RequestId } from '../../base/ids.ts';
import type { IdempotencyKey } from '../../idempotency/keys.ts';
import { capKey } from '../../identity/key-caps.ts';
import type { Approval, Instruction } from '../../service/instruction.ts';

/** What instructions depend on. */
export function wantedBy(instructions: readonly Instruction[]) {
  const approvals = approvalsOf(instructions);
  const refunds = instructions.flatMap(({ origin }) => refundedBy(origin) ?? []);
  const keys = instructions.flatMap(({ origin }) => usedKey(origin) ?? []);
  const capped = keys.flatMap(({ hash, cap }) => (cap ? [hash] : []));
  const approvingGuests = approvals.flatMap(({ guest, userId }) => (guest ? [userId] : []));
  const requested = [...approvals.map(({ requestId }) => requestId), ...refunds];
  const underMandates = approvals.filter(({ by, choice }) => by === 'mandate' || choice);
  const granted = approvals.flatMap(({ choice, appId }) => (choice ? [appId] : []));
  const approvers = approvals.map(({ userId }) => userId);
  const refunding = membersOf(instructions);
  const withdrawals = instructions.flatMap(({ origin, from, to }) =>
    origin.kind === 'withdrawal' ? [{ ...origin, address: to, payer: from }] : [],
  );
  const withdrawers = withdrawals.map(({ userId }) => userId);
  const outside = withdrawals.map(({ address }) => address);
  const finals = withdrawals.map(({ payer, finalBlock }) => ({ address: payer, block: finalBlock }));
  const inSessions = [...approvals, ...refunding, ...withdrawals].flatMap(({ session }) => session ?? []);
  const payers = instructions.map(({ from }) => from);
  const hashes = [...new Map(keys.map(({ hash }) => [capKey(hash), hash])).values()];
  return {
    ...{ approvals, refunds, capped, approvingGuests, requested, underMandates, granted, approvers, refunding },
    ...{ inSessions, payers, hashes, withdrawals, withdrawers, outside, finals },
    ...{ paid: payeesOf(instructions, 'payout'), approved: payeesOf(instructions, 'approval') },
  };
}

function payeesOf(instructions: readonly Instruction[], kind: Instruction['origin']['kind']): Address[] {
  return [...new Set(instructions.flatMap(({ origin, to }) => (origin.kind === kind ? [to] : [])))];
}

export function keysOf({ idempotency, callKey }: Instruction): IdempotencyKey[] {
  return [idempotency, callKey].filter((key) => key !== undefined);
}

export function approvalsOf(instructions: readonly Instruction[]): Approval[] {
  return instructions.flatMap(({ origin }): Approval[] => (origin.kind === 'approval' ? [origin] : []));
}

/** Who refunds for an app. */
function membersOf(instructions: readonly Instruction[]) {
  return instructions.flatMap(({ origin }) =>
    origin.kind === 'payout' && origin.member ? [{ ...origin.member, appId: origin.request.appId }] : [],
  );
}

/** The server API key that an instruction came with. `cap`: which of its caps applies; null for none. */
type UsedKey = { readonly hash: Uint8Array; readonly cap: 'pay' | 'approve' | null };

export function usedKey(origin: Instruction['origin']): UsedKey | null {
  if (origin.kind === 'payout') return origin.keyHash && { hash: origin.keyHash, cap: origin.isCapped ? 'pay' : null };
  // Every key that may approve has a cap.
  return origin.kind === 'approval' && origin.keyHash ? { hash: origin.keyHash, cap: 'approve' } : null;
}

/** The payment that an instruction refunds. */
export function refundedBy(origin: Instruction['origin']): RequestId | null {
  return origin.kind === 'payout' ? (origin.request.refundOf ?? null) : null;
}
