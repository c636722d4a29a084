import type { AddLoops } from '../../../jobs/additions.ts';
import { bufferLoop } from '../../../jobs/buffer-loops.ts';
import { writeSeen } from '../features/note-seen.ts';

/** Stores on which day players were here. */
export const seenLoops: AddLoops = (service) => [bufferLoop(service, 'seen players', () => writeSeen(service))];
