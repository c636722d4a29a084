import type { Call } from './calls.ts';
import type {
  AdvanceTimeResult,
  FreezeTimeResult,
  Inputs,
  LetTimeGoOnResult,
  SetTimeResult,
} from './controls.generated.ts';

/** Milliseconds, or amounts with their units: `'200 ms'`, `'1 h 30 min'`, `'31 days'`. */
export type Duration = Inputs['advanceTime']['by'];

/** One clock for tokens, expiries, limits, retries and blocks. It goes forward only, and what falls due on the way happens, in order. */
export function timeOf(call: Call) {
  return {
    now: async (): Promise<Date> => new Date((await call('readState', {})).now),
    set: (to: Date | string): Promise<SetTimeResult> => call('setTime', { to: new Date(to).toISOString() }),
    advance: (by: Duration): Promise<AdvanceTimeResult> => call('advanceTime', { by }),
    /** Stops the clock where it is. */
    freeze: (): Promise<FreezeTimeResult> => call('freezeTime', {}),
    /** Lets a frozen clock go on. */
    goOn: (): Promise<LetTimeGoOnResult> => call('letTimeGoOn', {}),
  };
}
