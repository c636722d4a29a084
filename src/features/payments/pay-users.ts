import type { Address } from '../../base/address.ts';
import { Problem } from '../../base/problems.ts';
import { asQuarters } from '../../base/quarters.ts';
import type { ItemOutcome } from '../../db/group-commit.ts';
import { type IdempotencyKey, lookUpAnswer, partKey } from '../../idempotency/keys.ts';
import type { AppCaller } from '../../identity/callers.ts';
import type { Accepted, Instruction } from '../../service/instruction.ts';
import type { Service } from '../../service/service.ts';
import { answerFor } from '../../service/with-idempotency.ts';
import { MAX_GROUP } from '../../settlement/accept/accept.ts';
import { earlierAnswers } from '../../settlement/accept/idempotent-answers.ts';
import { recoveredPayout } from '../../settlement/accept/recovered-answer.ts';
import { refuseWhileSuspended } from '../../settlement/may-act.ts';
import { ownAccount } from '../../views/accounts/read-account.ts';
import { findRecipientsOf, type Payee, payoutInstruction } from './pay-user.ts';

/** One of many payments. `amount`: quarters, a whole number from 1. */
export type PaymentLine = Payee & { readonly amount: number };

export type Payments = {
  /** The app's own account. */
  readonly from: Address;
  readonly lines: readonly PaymentLine[];
  readonly idempotency?: IdempotencyKey | undefined;
};

/** The outcome of a line; its error is a Problem, or an unexpected error. */
export type LineOutcome = ItemOutcome<Accepted>;

/** `replayed`: some or all outcomes come from an earlier call with the same Idempotency-Key. */
export type Paid = { readonly outcomes: readonly LineOutcome[]; readonly replayed?: true };

/**
 * An app pays many users from its own account, each line by itself and in order. A refused line does not stop the
 * others, and leaves its quarters to them. At most one group of lines is being accepted at a time, so that others are
 * not kept waiting.
 *
 * With an idempotency key, each line has its own key derived from it. A repeated call then returns the earlier
 * outcomes and accepts the rest, whatever interrupted the first one. The first accepted line binds the call's own key
 * to its body; otherwise another body under the same key could add lines. A call whose lines were all refused leaves
 * its key free.
 *
 * If it throws, nothing was accepted.
 */
export async function payUsers(service: Service, caller: AppCaller, payments: Payments): Promise<Paid> {
  const { lines, idempotency } = payments;
  const payer = await ownAccount(service, caller, payments.from);
  if (idempotency) await refuseOtherBody(service, idempotency);
  const keys = idempotency ? lines.map((_, i) => partKey(idempotency, i)) : [];
  const outcomes: (LineOutcome | undefined)[] = await earlierAnswers(service.db, keys);
  if (!outcomes.some(Boolean)) {
    refuseWhileSuspended(service);
    const refusal = service.admission.refusal(payer.address);
    if (refusal) throw refusal;
  }

  const open = [...lines.entries()].filter(([place]) => !outcomes[place]);
  const recipients = await findRecipientsOf(
    service,
    caller.appId,
    open.map(([, line]) => line),
  );
  const instructions = new Map<number, Instruction>();
  for (const [i, [place, line]] of open.entries()) {
    try {
      const [to, amount, key] = [recipients[i]!, asQuarters(line.amount), keys[place]];
      if (to instanceof Problem) {
        const paidBefore = key && (await recoveredPayout(service, key, { amount, to: line.address ?? null }));
        if (!paidBefore) throw to;
        outcomes[place] = { ok: true, result: paidBefore };
        continue;
      }
      const payout = { from: payer.address, to, amount, idempotency: key };
      instructions.set(place, { ...payoutInstruction(service, caller, payout), callKey: idempotency });
    } catch (error) {
      outcomes[place] = { ok: false, error };
    }
  }
  for (const [place, outcome] of await acceptInGroups(service, instructions)) {
    if (isMismatch(outcome)) throw outcome.error;
    outcomes[place] = outcome;
  }
  const replayed = outcomes.some((outcome) => outcome?.ok && outcome.result.replayed);
  return { outcomes: outcomes as LineOutcome[], ...(replayed && { replayed }) };
}

/** Throws `idempotency-mismatch` if lines of another body were accepted under this key. */
async function refuseOtherBody({ db }: Service, key: IdempotencyKey): Promise<void> {
  const bound = await lookUpAnswer(db, key);
  if (bound) answerFor(key, bound);
}

/**
 * A call with another body came first, just now. The first accepted line binds the key, so no line of this call was
 * accepted.
 */
function isMismatch(outcome: LineOutcome): outcome is Extract<LineOutcome, { ok: false }> {
  return !outcome.ok && outcome.error instanceof Problem && outcome.error.code === 'idempotency-mismatch';
}

async function acceptInGroups(
  service: Service,
  instructions: ReadonlyMap<number, Instruction>,
): Promise<Map<number, LineOutcome>> {
  const outcomes = new Map<number, LineOutcome>();
  const all = [...instructions];
  let isBusy = false;
  for (let at = 0; at < all.length; at += MAX_GROUP) {
    const group = all.slice(at, at + MAX_GROUP);
    const tried = await Promise.all(
      group.map(([, instruction]) => (isBusy ? notTried() : outcomeOf(service.accept(instruction)))),
    );
    for (const [i, [place]] of group.entries()) outcomes.set(place, tried[i]!);
    // The rest would wait in vain for the same reason, each group as long as this one.
    isBusy ||= tried.some((outcome) => !outcome.ok && !isRefusal(outcome.error));
  }
  return outcomes;
}

function outcomeOf(accepting: Promise<Accepted>): Promise<LineOutcome> {
  return accepting.then(
    (result) => ({ ok: true, result }),
    (error: unknown) => ({ ok: false, error }),
  );
}

function isRefusal(error: unknown): boolean {
  return error instanceof Problem && error.status < 500;
}

function notTried(): LineOutcome {
  const detail = 'An earlier line could not be decided, so this one was not tried.';
  return { ok: false, error: new Problem('overloaded', detail) };
}
