import type { AddOperationHooks } from '../../../src/api/additions.ts';
import { OPERATIONS } from '../../../src/api/operations.ts';
import { appIdFrom } from '../../../src/base/ids.ts';
import { lookUpApp } from '../../../src/identity/apps.ts';
import { Refused } from '../refused.ts';
import type { World } from '../world.ts';
import { outcomesOfCalls } from './of-calls.ts';
import { type OutcomesOfPayments, outcomesOfPayments } from './of-payments.ts';
import { type ArmedOutcome, ArmedOutcomes, isOfPayment } from './outcome.ts';

/** What the next calls and payments come to, if not to what they would in life. */
export type Outcomes = {
  /** Throws if the app does not exist, or if such a call cannot have this outcome. */
  arm(outcome: ArmedOutcome): Promise<void>;
  /** What was not given yet. */
  list(): readonly ArmedOutcome[];
  forget(): void;
  /** Of the service. */
  readonly hooks: AddOperationHooks;
  /** Before anything is armed. */
  startIn(world: World): void;
};

/** An operation is named in its file as its route is. */
export const OPERATION_IDS: readonly string[] = OPERATIONS.map(({ name }) => name.replace(/Route$/, ''));

/** Those by which something is paid: at once, or when a player has approved. */
const PAYING = ['any', 'createRequest', 'autoApproveRequest', 'refundRequest', 'transfer', 'transferToMany'];

export function openOutcomes(): Outcomes {
  const armed = new ArmedOutcomes();
  let world: World | undefined;
  let payments: OutcomesOfPayments | undefined;
  return {
    async arm(outcome) {
      const { operation, app } = outcome;
      if (isOfPayment(outcome.outcome) && !PAYING.includes(operation))
        throw new Refused(`${operation} pays nothing. What does: ${PAYING.join(', ')}.`);
      const appId = app === undefined ? null : appIdFrom(app);
      if (app !== undefined && !(appId && (await lookUpApp(world!.service.db, appId))))
        throw new Refused(`There is no app ${app}.`);
      armed.arm({ ...outcome });
    },
    list: () => armed.list(),
    forget() {
      armed.forget();
      payments?.forget();
    },
    hooks: outcomesOfCalls(armed, (...created) => payments?.onCreated(...created)),
    startIn(opened) {
      world = opened;
      payments = outcomesOfPayments(opened, armed);
    },
  };
}
