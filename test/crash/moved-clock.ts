/**
 * Loaded into a service process before its own code (`node --import`). Its wall clock is ahead of the true one by the
 * milliseconds in CLOCK_FILE, which may change while it runs. Clocks that only measure durations are not moved.
 */
import { readFileSync } from 'node:fs';

const FILE = process.env.CLOCK_FILE;
const LOOKS_EVERY_MS = 100;
const TrueDate = Date;
let aheadMs = 0;

function look(): void {
  try {
    aheadMs = Number(readFileSync(FILE!, 'utf8')) || 0;
  } catch {
    // Nobody has moved it yet.
  }
}

class MovedDate extends TrueDate {
  constructor(...given: [] | [number]) {
    super(...((given.length === 0 ? [MovedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return TrueDate.now() + aheadMs;
  }
}

if (FILE) {
  look();
  setInterval(look, LOOKS_EVERY_MS).unref();
  globalThis.Date = MovedDate as DateConstructor;
}
