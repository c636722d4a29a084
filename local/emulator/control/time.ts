import { isDay } from '../../../src/base/dates.ts';
import { invalidInput } from '../../../src/base/problems.ts';
import { DURATION, type Duration, durationOf } from '../duration.ts';
import type { Emulator } from '../emulator.ts';
import { moveClock, startClock, stopClock } from '../time.ts';
import { type Control, object } from './control.ts';

const CLOCK = { now: { type: 'string', format: 'date-time' }, frozen: { type: 'boolean' } };
const STOPS = {
  type: 'integer',
  description: 'At how many moments on the way, the last one included, what was due was done',
};

const MOVED = object({ ...CLOCK, stops: STOPS }, ['now', 'frozen', 'stops']);
const STOOD = object(CLOCK, ['now', 'frozen']);

const clockOf = ({ world: { time } }: Emulator) => ({
  now: new Date(time.now()).toISOString(),
  frozen: time.state().frozenAt !== null,
});

async function move(emulator: Emulator, targetFrom: (now: number) => number) {
  const moved = await moveClock(emulator.world, targetFrom);
  return { ...clockOf(emulator), ...moved };
}

function timeFrom(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at) || !isDay(text.slice(0, 10)))
    throw invalidInput('/to', 'is no time: use one such as 2027-01-31T12:00:00Z');
  return at;
}

export const TIME_CONTROLS: readonly Control[] = [
  {
    operationId: 'setTime',
    method: 'POST',
    path: '/time/set',
    says: 'Moves the clock forward to a time. Answers when all that fell due until then has happened, in order.',
    input: object({ to: { type: 'string', examples: ['2027-01-31T12:00:00Z'] } }, ['to']),
    result: MOVED,
    run(emulator, { to }: { to: string }) {
      const target = timeFrom(to);
      return move(emulator, () => target);
    },
  },
  {
    operationId: 'advanceTime',
    method: 'POST',
    path: '/time/advance',
    says: 'Moves the clock forward by a duration. Answers when all that fell due until then has happened, in order.',
    input: object({ by: DURATION }, ['by']),
    result: MOVED,
    run(emulator, { by }: { by: Duration }) {
      const milliseconds = durationOf(by, '/by');
      return move(emulator, (now) => now + milliseconds);
    },
  },
  {
    operationId: 'freezeTime',
    method: 'POST',
    path: '/time/freeze',
    says: 'Lets the clock stand still, until it goes on or is moved. Each block is a second later than the one before, as Ethereum demands.',
    result: STOOD,
    async run(emulator) {
      await stopClock(emulator.world);
      return clockOf(emulator);
    },
  },
  {
    operationId: 'letTimeGoOn',
    method: 'POST',
    path: '/time/go-on',
    says: 'Lets the clock go on from where it stands.',
    result: STOOD,
    async run(emulator) {
      await startClock(emulator.world);
      return clockOf(emulator);
    },
  },
];
