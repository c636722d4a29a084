import type { AppId } from '../../../src/base/ids.ts';
import type { ProblemCode } from '../../../src/base/problems.ts';

/** What a call comes to, other than in life. One of them. */
export type CallOutcome =
  /** It is refused with this problem, and nothing is done. */
  | { readonly fails: ProblemCode }
  /** It is done at once, and answered after so many milliseconds. */
  | { readonly answersAfter: number }
  /** It is done, and the connection is cut instead of an answer. */
  | { readonly answerIsLost: true };

/** What comes of a payment on the chain. Then it goes on as in life. One of them. */
export type PaymentOutcome =
  /** Its first transaction reverts. */
  | { readonly isRevertedOnChain: true }
  /** After it is completed, its block is replaced by one without it. */
  | { readonly isReorganizedAway: true };

export type Outcome = CallOutcome | PaymentOutcome;

/** An operation that is called. */
export type Called = {
  /** Its operationId; null: a payment without a call, such as one that a player approves on our page. */
  readonly operation: string | null;
  /** Null: no credential was needed. */
  readonly appId: AppId | null;
  /** Empty if it has none. */
  readonly amounts: readonly number[];
};

/** An outcome for the next calls that fit. */
export type ArmedOutcome = {
  /** An operationId, or `any`. */
  readonly operation: string;
  readonly app?: string;
  readonly amount?: number;
  /** How often it will still be given. */
  times: number;
  readonly outcome: Outcome;
};

export const isOfPayment = (outcome: Outcome): outcome is PaymentOutcome =>
  'isRevertedOnChain' in outcome || 'isReorganizedAway' in outcome;

export const isOfCall = (outcome: Outcome): outcome is CallOutcome => !isOfPayment(outcome);

/** What is armed. Of several that fit, the oldest is taken. */
export class ArmedOutcomes {
  #all: ArmedOutcome[] = [];

  arm(outcome: ArmedOutcome): void {
    this.#all.push(outcome);
  }

  list(): readonly ArmedOutcome[] {
    return this.#all.filter(({ times }) => times > 0);
  }

  /** `giveBack`: the call came to nothing, so the next one gets it. */
  take<Kind extends Outcome>(
    called: Called,
    isWanted: (outcome: Outcome) => outcome is Kind,
  ): { readonly outcome: Kind; giveBack(): void } | null {
    for (const armed of this.list()) {
      const { outcome } = armed;
      if (!isWanted(outcome) || !fits(armed, called)) continue;
      armed.times--;
      return { outcome, giveBack: () => void armed.times++ };
    }
    return null;
  }

  forget(): void {
    this.#all = [];
  }
}

function fits({ operation, app, amount }: ArmedOutcome, called: Called): boolean {
  return (
    (operation === 'any' || operation === called.operation) &&
    (app === undefined || app === called.appId) &&
    (amount === undefined || called.amounts.includes(amount))
  );
}
