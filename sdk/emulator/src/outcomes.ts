import { type AppOrId, idOf } from './apps.ts';
import type { Call } from './calls.ts';
import type { Inputs } from './controls.generated.ts';
import type { Duration } from './time.ts';

type Armed = Inputs['armOutcome'];

/** The next calls of an operation. What they come to is said last, and ends it. */
export type Next = {
  /** Only calls of this app. */
  forApp(app: AppOrId): Next;
  /** How many calls, 1 by default. */
  times(times: number): Next;
  /** Only calls about so many quarters. */
  ofAmount(quarters: number): Next;
  /** The call is refused with this problem code, and does nothing. */
  fails(code: NonNullable<Armed['outcome']['fails']>): Promise<void>;
  /** The call is done, and its answer comes later. */
  answers(when: { readonly after: Duration }): Promise<void>;
  /** The call is done, and the connection breaks before its answer. */
  isAcceptedButTheAnswerIsLost(): Promise<void>;
  /** The payment is accepted, and its transaction fails on the chain. */
  isRevertedOnChain(): Promise<void>;
  /** The payment completes, and a reorganisation takes it back. */
  isReorganizedAway(): Promise<void>;
};

export function nextOf(call: Call, operation: Armed['operation'], narrowed: Partial<Armed> = {}): Next {
  const with_ = (more: Partial<Armed>) => nextOf(call, operation, { ...narrowed, ...more });
  const arm = (outcome: Armed['outcome']): Promise<void> => call('armOutcome', { ...narrowed, operation, outcome });
  return {
    forApp: (app) => with_({ app: idOf(app) }),
    times: (times) => with_({ times }),
    ofAmount: (amount) => with_({ amount }),
    fails: (code) => arm({ fails: code }),
    answers: ({ after }) => arm({ answersAfter: after }),
    isAcceptedButTheAnswerIsLost: () => arm({ answerIsLost: true }),
    isRevertedOnChain: () => arm({ isRevertedOnChain: true }),
    isReorganizedAway: () => arm({ isReorganizedAway: true }),
  };
}
