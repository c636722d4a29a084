import type { AddLoops } from '../../../jobs/additions.ts';
import { bufferLoop } from '../../../jobs/buffer-loops.ts';
import { callsWaiting } from '../features/calls-waiting.ts';
import { callWriter } from '../features/write-calls.ts';

/** Writes the log of calls. */
export const callLoops: AddLoops = (service) => [
  bufferLoop(service, 'call log', callWriter(service, callsWaiting(service))),
];
