import type { Hash } from '../../../src/base/hex.ts';
import type { AppId, RequestId } from '../../../src/base/ids.ts';
import { Problem } from '../../../src/base/problems.ts';
import type { Instruction } from '../../../src/service/instruction.ts';
import { findTransfersOfRequests, nonceOf } from '../../../src/settlement/tables/transfers.ts';
import { takeBack } from '../reorganize.ts';
import type { World } from '../world.ts';
import { MAGIC_AMOUNTS, magicOutcome } from './magic-amounts.ts';
import { currentCall } from './of-calls.ts';
import { type ArmedOutcomes, type Called, isOfPayment, type PaymentOutcome } from './outcome.ts';
import { refusing } from './refused-authorizations.ts';

/** Gives payments their outcomes: when they are accepted, when their block is made, and when they are completed. */
export type OutcomesOfPayments = {
  /** A request was made. What was armed for that call is for its payment. */
  onCreated(id: RequestId, called: Called): void;
  forget(): void;
};

export function outcomesOfPayments(world: World, armed: ArmedOutcomes): OutcomesOfPayments {
  const ofRequests = new Map<RequestId, PaymentOutcome>();
  const reverts = revertPayments(world);
  const reorganisations = reorganisePayments(world);
  const outcomeOf = (payment: Payment) => {
    const { requestId, called } = payment;
    const asked = ofRequests.get(requestId);
    if (asked) return { outcome: asked, giveBack: () => {} };
    const taken = armed.take(called, isOfPayment);
    const magic = taken ? null : magicOutcome(called.amounts, isOfPayment);
    return taken ?? (magic && { outcome: magic, giveBack: () => {} });
  };
  const { service, blocks } = world;
  const { accept } = service;
  service.accept = async (instruction) => {
    const payment = paymentOf(instruction);
    const magic = payment && MAGIC_AMOUNTS.get(Number(instruction.amount));
    if (magic && 'fails' in magic)
      throw new Problem(magic.fails, `The emulator refuses ${instruction.amount} quarters.`);
    const expected = payment && outcomeOf(payment);
    if (!expected) return accept(instruction);
    const { outcome, giveBack } = expected;
    // No block has it before its outcome is prepared.
    return blocks.alone(async () => {
      const accepted = await accept(instruction).catch((error: unknown) => {
        giveBack();
        throw error;
      });
      if (accepted.replayed) giveBack();
      else if ('isRevertedOnChain' in outcome) await reverts.add(payment.requestId);
      else reorganisations.add(payment.requestId);
      ofRequests.delete(payment.requestId);
      return accepted;
    });
  };
  return {
    onCreated(id, called) {
      const taken = armed.take(called, isOfPayment);
      if (taken) ofRequests.set(id, taken.outcome);
    },
    forget() {
      ofRequests.clear();
      reverts.forget();
      reorganisations.forget();
    },
  };
}

type Payment = { readonly requestId: RequestId; readonly called: Called };

/** What is paid between players and apps. Null for anything else. */
function paymentOf({ origin, amount }: Instruction): Payment | null {
  const called = (appId: AppId): Called => ({
    operation: currentCall()?.operation ?? null,
    appId,
    amounts: [Number(amount)],
  });
  switch (origin.kind) {
    case 'approval':
      return { requestId: origin.requestId, called: called(origin.appId) };
    case 'payout':
    case 'refund':
      return { requestId: origin.request.id, called: called(origin.request.appId) };
    default:
      return null;
  }
}

type Block = { readonly transactions: readonly { readonly input: string }[] };

/** Lets the first transaction of payments revert. */
function revertPayments({ service, rpc, blocks }: World) {
  const nonces = new Set<Hash>();
  blocks.around.push(async (make) => {
    if (nonces.size === 0) return make();
    await refusing(rpc, service.chain.contracts.token, [...nonces], make);
    const { transactions } = await rpc.call<Block>('eth_getBlockByNumber', ['latest', true]);
    const carried = transactions.map(({ input }) => input).join();
    for (const nonce of nonces) if (carried.includes(nonce.slice(2))) nonces.delete(nonce);
  });
  return {
    async add(id: RequestId) {
      for (const transfer of await findTransfersOfRequests(service.db, [id])) nonces.add(nonceOf(transfer));
    },
    forget: () => nonces.clear(),
  };
}

/** Replaces the blocks of payments once they are completed. */
function reorganisePayments(world: World) {
  const { service, blocks, follow, beforeSettled } = world;
  const waiting = new Set<RequestId>();
  let made = 0;
  let seen = 0;
  let last: Promise<void> = Promise.resolve();
  const reorganise = async () => {
    for (const id of waiting) {
      const transfers = await findTransfersOfRequests(service.db, [id]);
      if (transfers.some(({ status }) => status !== 'completed')) continue;
      // A reset may have taken it away.
      if (!waiting.delete(id) || transfers.length === 0) continue;
      await takeBack(
        world,
        transfers.map(({ txHash }) => txHash),
      );
      made++;
    }
  };
  const look = () => {
    last = last.then(reorganise).catch((error: unknown) => {
      service.log.warn({ err: error }, 'a payment could not be reorganised away');
    });
    return last;
  };
  blocks.around.push(async (make) => {
    await make();
    if (waiting.size > 0) void follow().then(look);
  });
  beforeSettled.push(async () => {
    await look();
    const changed = made > seen;
    seen = made;
    return changed;
  });
  return { add: (id: RequestId) => void waiting.add(id), forget: () => waiting.clear() };
}
