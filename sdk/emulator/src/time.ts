import type { Call } from './calls.ts';
import type {
  AdvanceTimeResult,
  FreezeTimeResult,
  Inputs,
  LetTimeGoOnResult,
  SetTimeResult,
} from './controls.generated.ts';

/** One clock for tokens, expiries, limits, retries and blocks. It goes forward only, and what falls due on the way happens, in order. */
export function timeOf(call: Call) {
  return {
    now: async (): Promise<Date> => new Date((await call('readState', {})).now),
    set: (to: Date | string): Promise<SetTimeResult> => call('setTime', { to: new Date(to).toISOString() }),
    /** `'31 days'`, `'90 s'`, or milliseconds. */
    advance: (by: Inputs['advanceTime']['by']): Promise<AdvanceTimeResult> => call('advanceTime', { by }),
    /** Stops the clock where it is. */
    freeze: (): Promise<FreezeTimeResult> => call('freezeTime', {}),
    /** Lets a frozen clock go on. */
    goOn: (): Promise<LetTimeGoOnResult> => call('letTimeGoOn', {}),
  };
}
