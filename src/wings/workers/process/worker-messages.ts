import type { ProcessCounts } from '../../../http/process-counts.ts';
import type { ListeningPlace } from '../../../process/listening-place.ts';
import type { ShownService } from '../../../process/start-screen.ts';

// What a supervisor and its workers tell each other, over the channel between the processes.

export type ToWorker =
  /** `version`: of the supervisor. */
  | { readonly kind: 'begin'; readonly number: number; readonly place: ListeningPlace; readonly version: string }
  /** The whole start is complete: `/readyz` may be green. */
  | { readonly kind: 'started' }
  /** End in order. `isTermination`: of `Ending`. */
  | { readonly kind: 'stop'; readonly isTermination: boolean }
  /** Say what you have counted. */
  | { readonly kind: 'count' }
  /** What all have counted; null if nobody could be asked. */
  | { readonly kind: 'total'; readonly total: ProcessCounts | null };

export type FromWorker =
  /** It has loaded, and waits for `begin`. */
  | { readonly kind: 'hello' }
  /** It answers calls. */
  | { readonly kind: 'ready'; readonly shown: ShownService }
  /** It cannot work, and ends. `isFinal`: no other worker can either, because another release runs. */
  | { readonly kind: 'fault'; readonly message: string; readonly isFinal: boolean }
  /** Transactions were sent to an embedded chain. */
  | { readonly kind: 'sent' }
  | { readonly kind: 'counts'; readonly counted: ProcessCounts }
  /** Someone asked it for the metrics: it needs the total. */
  | { readonly kind: 'collect' };
