import type { Call } from './calls.ts';
import { chainOf } from './chain.ts';
import type {
  CreateAppInput,
  CreateAppResult,
  Inputs,
  ListOutcomesResult,
  ReadHappenedResult,
  ReadStateResult,
} from './controls.generated.ts';
import { type Next, nextOf } from './outcomes.ts';
import { playersOf } from './players.ts';
import { timeOf } from './time.ts';
import { webhooksOf } from './webhooks.ts';

/** What a game's tests do to an emulator. Operations run one after the other, and each resolves when the game can see what it did. */
export type Emulator = ReturnType<typeof emulatorOf>;

export type Connection = {
  readonly call: Call;
  /** The origin of the service. */
  readonly url: string;
  /** Whose players are made if no app is named. */
  readonly app?: string | undefined;
  stop(): Promise<void>;
};

export function emulatorOf({ call, url, app, stop }: Connection) {
  return {
    /** The origin of the service, which the game calls. */
    url,
    /** Goes back to the state after the start, or to a snapshot. Calls under way have a second to end; new ones wait. */
    reset: (snapshot?: string): Promise<void> => call('reset', snapshot === undefined ? {} : { to: snapshot }),
    /** Keeps the state under a name, once every payment is settled. */
    snapshot: (name: string): Promise<void> => call('takeSnapshot', { name }),
    /** The clock, the chain and the snapshots. */
    state: (): Promise<ReadStateResult> => call('readState', {}),
    /** The newest calls, requests, events and blocks. */
    happened: (): Promise<ReadHappenedResult> => call('readHappened', {}),
    /** Resolves when no payment is on its way and the ledger has the newest block. */
    settled: (): Promise<void> => call('settle', {}),
    time: timeOf(call),
    chain: chainOf(call),
    apps: {
      /** Its quarters can be spent when this resolves. */
      create: (app: CreateAppInput = {}): Promise<CreateAppResult> => call('createApp', app),
    },
    players: playersOf(call, app),
    /** Decides what the next calls of an operation of the API come to: `next('transfer').fails('insufficient-quarters')`. */
    next: (operation: Inputs['armOutcome']['operation'] = 'any'): Next => nextOf(call, operation),
    outcomes: {
      /** What `next` has decided, and no call has got yet. */
      list: async (): Promise<ListOutcomesResult['outcomes']> => (await call('listOutcomes', {})).outcomes,
      /** All calls come to what they would in life. */
      forget: (): Promise<void> => call('forgetOutcomes', {}),
    },
    webhooks: webhooksOf(call),
    /** Ends an emulator that `startEmulator` has started. */
    stop,
  };
}
