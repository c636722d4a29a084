import { PROBLEMS } from '../../../src/base/problems.ts';
import type { ArmedOutcome } from '../outcomes/outcome.ts';
import { OPERATION_IDS } from '../outcomes/outcomes.ts';
import { type Control, object } from './control.ts';

const YES = { const: true };

const OUTCOME = {
  ...object({
    fails: {
      enum: Object.keys(PROBLEMS),
      description: 'The code of the problem that refuses the call. Nothing is done',
    },
    answersAfterMs: {
      type: 'integer',
      minimum: 1,
      maximum: 600_000,
      description: 'The call is done at once, and answered after so many milliseconds of real time',
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

export const OUTCOME_CONTROLS: readonly Control[] = [
  {
    operationId: 'armOutcome',
    method: 'POST',
    path: '/outcomes',
    says: 'Decides what the next calls of an operation come to. Of several outcomes that fit a call, it gets the oldest.',
    input: object(ARMED, ['operation', 'outcome']),
    run: async ({ outcomes }, given: Omit<ArmedOutcome, 'times'> & { times?: number }) => {
      await outcomes.arm({ times: 1, ...given });
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
