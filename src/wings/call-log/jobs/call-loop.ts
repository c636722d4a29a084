import type { AddLoops, Chore } from '../../../jobs/additions.ts';
import { bufferLoop } from '../../../jobs/buffer-loops.ts';
import { forgetting } from '../../../jobs/chore-loops.ts';
import { callsWaiting } from '../features/calls-waiting.ts';
import { callWriter } from '../features/write-calls.ts';
import { forgetOldHours } from '../store/call-hours.ts';
import { forgetOldCalls } from '../store/calls.ts';

/** Writes the log of calls. */
export const callLoops: AddLoops = (service) => [
  bufferLoop(service, 'call log', callWriter(service, callsWaiting(service))),
];

export const callChores: Readonly<Record<string, Chore>> = {
  'forget API calls': forgetting(forgetOldCalls),
  'forget counts of API calls': forgetting(forgetOldHours),
};
