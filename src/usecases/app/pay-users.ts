import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import { type IdempotencyKey, keyId, partKey, readAnswers } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import type { Outcome } from '../../transfers/group-commit.ts';
import { ownAccount } from '../own-account.ts';
import type { Service } from '../service.ts';
import { MAX_GROUP } from '../system/decider.ts';
import { answerFor } from '../system/once.ts';
import { earlierAnswers } from '../system/order-keys.ts';
import type { Decided, Order } from '../system/orders.ts';
import { refuseWhileSuspended } from '../system/suspension.ts';
import { payoutOrder } from './payout.ts';
import { findRecipients, type Named } from './recipients.ts';

/** One payment of many. `amount`: quarters, a whole number from 1. */
export type PaymentLine = Named & { readonly amount: number };

export type Payments = {
  /** The app's own account. */
  readonly from: Address;
  readonly lines: readonly PaymentLine[];
  readonly idempotency?: IdempotencyKey | undefined;
};

/** What became of a line; its error is a Problem, or what should never happen. */
export type LineOutcome = Outcome<Decided>;

/** `replayed`: a call with the same Idempotency-Key came before and decided all lines, or some. */
export type Paid = { readonly outcomes: readonly LineOutcome[]; readonly replayed?: true };

/**
 * An app pays many users from its own account, each line by itself and in their order: a line that is refused holds up nothing, and leaves what
 * it would have taken to those after it. At most one group of lines waits to be decided at a time, so that others are not kept waiting.
 *
 * With an idempotency key each line has a key of its own, made of it: a repeat after whatever went wrong answers what was decided
 * before, and decides the rest. The call's own key is bound to its body by the first line that is accepted: another body under the same
 * key could else add lines to it. A call whose lines were all refused leaves its key free.
 *
 * Throws, with nothing decided: `not-found`, `idempotency-mismatch`, `overloaded`, `app-backlog-full`, `payments-suspended`.
 */
export async function payUsers(service: Service, caller: AppCaller, payments: Payments): Promise<Paid> {
  const { lines, idempotency } = payments;
  const payer = await ownAccount(service, caller, payments.from);
  if (idempotency) await refuseOtherBody(service, idempotency);
  const keys = idempotency ? lines.map((_, i) => partKey(idempotency, i)) : [];
  const outcomes: (LineOutcome | undefined)[] = await earlierAnswers(service.db, keys);
  if (!outcomes.some(Boolean)) {
    refuseWhileSuspended(service);
    service.admission.check(payer.address);
  }

  const open = [...lines.entries()].filter(([place]) => !outcomes[place]);
  const recipients = await findRecipients(
    service,
    open.map(([, line]) => line),
  );
  const orders = new Map<number, Order>();
  for (const [i, [place, line]] of open.entries()) {
    try {
      const to = recipients[i]!;
      if (to instanceof Problem) throw to;
      const payout = { from: payer.address, to, amount: asQuarters(line.amount), idempotency: keys[place] };
      orders.set(place, { ...payoutOrder(service, caller, payout), callKey: idempotency });
    } catch (error) {
      outcomes[place] = { ok: false, error };
    }
  }
  for (const [place, outcome] of await decideInGroups(service, orders)) {
    if (isMismatch(outcome)) throw outcome.error;
    outcomes[place] = outcome;
  }
  const replayed = outcomes.some((outcome) => outcome?.ok && outcome.result.replayed);
  return { outcomes: outcomes as LineOutcome[], ...(replayed && { replayed }) };
}

/** Throws `idempotency-mismatch` where lines of another body were decided under this key. */
async function refuseOtherBody({ db }: Service, key: IdempotencyKey): Promise<void> {
  const bound = (await readAnswers(db, [key])).get(keyId(key));
  if (bound) answerFor(key, bound);
}

/** A call with another body came first, just now. As the first line that is accepted binds the key, none of this call was. */
function isMismatch(outcome: LineOutcome): outcome is Extract<LineOutcome, { ok: false }> {
  return !outcome.ok && outcome.error instanceof Problem && outcome.error.code === 'idempotency-mismatch';
}

async function decideInGroups(service: Service, orders: ReadonlyMap<number, Order>): Promise<Map<number, LineOutcome>> {
  const outcomes = new Map<number, LineOutcome>();
  const all = [...orders];
  let isBusy = false;
  for (let at = 0; at < all.length; at += MAX_GROUP) {
    const group = all.slice(at, at + MAX_GROUP);
    const decided = await Promise.all(
      group.map(([, order]) => (isBusy ? notTried() : outcomeOf(service.decide(order)))),
    );
    for (const [i, [place]] of group.entries()) outcomes.set(place, decided[i]!);
    // The rest would wait for the same in vain, each group as long as the one before.
    isBusy ||= decided.some((outcome) => !outcome.ok && !isRefusal(outcome.error));
  }
  return outcomes;
}

function outcomeOf(deciding: Promise<Decided>): Promise<LineOutcome> {
  return deciding.then(
    (result) => ({ ok: true, result }),
    (error: unknown) => ({ ok: false, error }),
  );
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.status < 500;
}

function notTried(): LineOutcome {
  const detail = 'A line before this one could not be decided now, so this one was not tried.';
  return { ok: false, error: new Problem('overloaded', detail) };
}
