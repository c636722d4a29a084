import type { Settings } from '../config/settings.ts';
import type { Service } from '../service/service.ts';
import type { Lifetime } from './lifetime.ts';
import type { OpenParts, Parts } from './parts.ts';
import type { ListeningPlace } from './place.ts';
import type { Ties } from './serve.ts';
import type { Closers } from './shutdown.ts';
import type { ShownService, TryOut } from './start-screen.ts';

/** What differs between the service alone and a try-out. */
export type Surroundings = {
  readonly openParts: OpenParts;
  /** Gives the relayers of an embedded chain ether. On another chain the operator does that. */
  readonly giveEther?: Ties['giveEther'];
  /** Adds an app and a game to a service that answers. Registers what it opens with `closers`. */
  readonly addTryOut?: (
    service: Service,
    parts: Pick<Parts, 'embedded'>,
    closers: Closers,
    ended: AbortSignal,
  ) => Promise<TryOut | null>;
};

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
  surroundings: Surroundings,
  parts: Parts,
) => Promise<Answering>;
