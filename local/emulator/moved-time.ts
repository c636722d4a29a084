import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { idAfter } from '../../src/base/ids.ts';

/** What the clock of this process says: real time, moved forward by so many milliseconds, or stopped. */
export type TimeState = { readonly movedBy: number; readonly frozenAt: number | null };

/** The clock of this process, in milliseconds since 1970. */
export type MovedTime = {
  now(): number;
  state(): TimeState;
  /** Goes on from this state. Only a reset goes back. */
  goOnFrom(state: TimeState): void;
  /** The state of a clock that shows `at` now, and goes on or stands still. */
  stateAt(at: number, isFrozen: boolean): TimeState;
};

const RealDate = Date;

/** What others' clocks say, which nobody has moved. */
export const realTime = (): Date => new RealDate();

/**
 * Moves the time of this process: `Date`, and the time in UUIDs of version 7. Timers run as before. So no place that asks for the time knows of
 * it. Only the emulator calls this, once.
 */
export function moveTime(): MovedTime {
  let state: TimeState = { movedBy: 0, frozenAt: null };
  const now = () => state.frozenAt ?? RealDate.now() + state.movedBy;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, asked) =>
      given.length === 0 ? new target(now()) : (Reflect.construct(target, given, asked) as Date),
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
  // Node.js reads the clock itself for them.
  let last = '';
  const randomUUIDv7 = () => {
    const id = uuidAt(now());
    // While the clock stands still, all are of one millisecond. Lists are in their order.
    last = id < last && id.slice(0, TIME_DIGITS) === last.slice(0, TIME_DIGITS) ? idAfter(last) : id;
    return last;
  };
  Object.assign(crypto, { randomUUIDv7 });
  syncBuiltinESMExports();
  return {
    now,
    state: () => state,
    goOnFrom(next) {
      state = next;
    },
    stateAt: (at, isFrozen) => ({ movedBy: at - RealDate.now(), frozenAt: isFrozen ? at : null }),
  };
}

/** Of a UUID as text: 48 bits and a dash. */
const TIME_DIGITS = 13;

/** RFC 9562, section 5.7. */
function uuidAt(milliseconds: number): string {
  const hex = crypto.randomUUID();
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(15)}`;
}
