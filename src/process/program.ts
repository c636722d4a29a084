import type { Settings } from '../config/settings.ts';
import type { MigrateOptions } from '../db/migrate.ts';
import type { Service } from '../service/service.ts';
import type { EmbeddedChain, OpenParts, Parts } from './parts.ts';
import type { Closers } from './shutdown.ts';
import type { TryOut } from './start-screen.ts';

/** What differs between the service alone (`src/main.ts`) and a try-out (`local/main.ts`). */
export type Program = {
  /** A try-out is opened to the developer's network. */
  readonly isLan?: boolean;
  readonly openParts: OpenParts;
  /** Brings the schema up to date, or prepares that. */
  readonly migrate: (settings: Settings, options?: MigrateOptions) => Promise<{ applied: string[] }>;
  /** As in {@link Parts}, for a worker, which opens no parts. */
  readonly giveEther?: EmbeddedChain['giveEther'];
  /** Adds an app and a game to a service that answers. Registers what it opens with `closers`. */
  readonly addTryOut?: (
    service: Service,
    parts: Pick<Parts, 'embedded'>,
    closers: Closers,
    ended: AbortSignal,
  ) => Promise<TryOut | null>;
};
