import type { Settings } from '../config/settings.ts';
import type { Service } from '../service/service.ts';
import type { Lifetime } from './lifetime.ts';
import type { ListeningPlace } from './listening-place.ts';
import type { Parts } from './parts.ts';
import type { ShownService } from './start-screen.ts';

/** A service that answers, in this process or in workers. */
export type Answering = {
  readonly shown: ShownService;
  /** A service to add a try-out with. */
  openService(): Promise<Service>;
  /** The start is complete: `/readyz` may be green, and a stop is worth draining. */
  markStarted(): Promise<void>;
};

/** Opens whatever answers at a place, and registers it with the closers of its life. */
export type AnswerCalls = (
  settings: Settings,
  life: Lifetime,
  place: ListeningPlace,
  parts: Parts,
) => Promise<Answering>;
