import { PROBLEMS } from '../../../src/base/problems.ts';
import { DURATION, type Duration, durationOf } from '../duration.ts';
import type { ArmedOutcome, Outcome } from '../outcomes/outcome.ts';
import { OPERATION_IDS } from '../outcomes/outcomes.ts';
import { type Control, object } from './control.ts';

const YES = { const: true };
const ANSWERS_AFTER = [1, 600_000] as const;

const OUTCOME = {
  ...object({
    fails: {
      enum: Object.keys(PROBLEMS),
      description: 'The code of the problem that refuses the call. Nothing is done',
    },
    answersAfter: {
      ...DURATION,
      description: 'The call is done at once, and answered after so much real time, up to 10 minutes',
    },
    answerIsLost: { ...YES, description: 'The call is done, and the connection is cut instead of an answer' },
    isRevertedOnChain: { ...YES, description: "The payment's first transaction reverts" },
    isReorganizedAway: { ...YES, description: 'A reorganisation takes the payment back, once it is completed' },
  }),
  minProperties: 1,
  maxProperties: 1,
};

const ARMED = {
  operation: { enum: [...OPERATION_IDS, 'any'], description: "An operationId of the service's API" },
  app: { type: 'string', description: 'The id of the app that calls. Left out: any' },
  amount: { type: 'integer', minimum: 1, description: 'Quarters that the call names. Left out: any' },
  times: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'For how many calls. 1 if it is left out' },
  outcome: OUTCOME,
};

type GivenOutcome = Omit<ArmedOutcome, 'times' | 'outcome'> & {
  readonly times?: number;
  readonly outcome: Outcome | { readonly answersAfter: Duration };
};

function outcomeOf({ outcome }: GivenOutcome): Outcome {
  if (!('answersAfter' in outcome)) return outcome;
  return { answersAfter: durationOf(outcome.answersAfter, '/outcome/answersAfter', ANSWERS_AFTER) };
}

export const OUTCOME_CONTROLS: readonly Control[] = [
  {
    operationId: 'armOutcome',
    method: 'POST',
    path: '/outcomes',
    says: 'Decides what the next calls of an operation come to. Of several outcomes that fit a call, it gets the oldest.',
    input: object(ARMED, ['operation', 'outcome']),
    run: async ({ outcomes }, given: GivenOutcome) => {
      await outcomes.arm({ times: 1, ...given, outcome: outcomeOf(given) });
      return undefined;
    },
  },
  {
    operationId: 'listOutcomes',
    method: 'GET',
    path: '/outcomes',
    says: 'Lists the outcomes that no call has got yet.',
    result: object({ outcomes: { type: 'array', items: object(ARMED, ['operation', 'times', 'outcome']) } }, [
      'outcomes',
    ]),
    run: ({ outcomes }) => ({ outcomes: outcomes.list() }),
  },
  {
    operationId: 'forgetOutcomes',
    method: 'DELETE',
    path: '/outcomes',
    says: 'Lets all calls come to what they would in life.',
    run: ({ outcomes }) => {
      outcomes.forget();
      return undefined;
    },
  },
];
