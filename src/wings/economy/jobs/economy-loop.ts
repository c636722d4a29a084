import { setTimeout as delay } from 'node:timers/promises';
import { bufferLoop } from '../../../jobs/buffer-loops.ts';
import { type Loop, repeat } from '../../../jobs/repeat.ts';
import type { Service } from '../../../service/service.ts';
import { findPlayersToLookAt } from '../features/find-players-to-look-at.ts';
import { noteEconomy, recountEconomy } from '../features/note-accounts.ts';
import { rollUpBite } from '../features/roll-up.ts';
import { writeRefusals } from '../features/write-refusals.ts';
import { isListedWithin, isNotedWithin } from '../store/days.ts';
import { refusalBufferOf } from '../store/refusal-buffer.ts';

/** How late figures are while counting keeps up. A longer pause would make a posting cheaper: payers who pay again share an update. */
const PAUSE_MS = 15_000;
/** A start has more urgent work. */
const FIRST_COUNT_MS = 3_000;
/** Noting reads every account. */
const NOTE_PAUSE_MS = 300_000;
const FIRST_NOTE_MS = 60_000;
/** What another process has noted so recently is not noted again. Shorter than the pause, so that one process never skips. */
const NOTED_WITHIN_SECONDS = 270;
/** Finding players reads every account, and many requests. */
const LIST_PAUSE_MS = 3_600_000;
const FIRST_LIST_MS = 120_000;
const LISTED_WITHIN_SECONDS = 3_500;
/** Counting again reads every posting. A difference that comes back at once is not ended by it, and a person has to look. */
const RECOUNT_PAUSE_MS = 3_600_000;
/** As chores do: at most a fifth of a core. */
const REST_PER_WORK = 4;
const MOST_REST_MS = 2_000;

/** Counts the economy, in one process at a time, and compares it with the accounts every few minutes. */
export function economyLoops(service: Service): Loop[] {
  const count = repeat('economy', service, PAUSE_MS, () => countAndRest(service), FIRST_COUNT_MS);
  const note = openNote(service, () => count.wake());
  const list = async () => {
    if (!(await isListedWithin(service.db, LISTED_WITHIN_SECONDS))) await findPlayersToLookAt(service);
    return false;
  };
  return [
    count,
    repeat('economy accounts', service, NOTE_PAUSE_MS, note, FIRST_NOTE_MS),
    repeat('economy lists', service, LIST_PAUSE_MS, list, FIRST_LIST_MS),
    bufferLoop(service, 'refusals', () => writeRefusals(service, refusalBufferOf(service))),
  ];
}

/**
 * Notes the accounts, and compares them with what is counted. Each difference is logged. It is counted again, but at most once an hour, so
 * a difference that counting does not end costs no more than that.
 */
export function openNote(service: Pick<Service, 'db' | 'log'>, wakeCounting: () => void): () => Promise<false> {
  const { db, log } = service;
  let recountedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (await isNotedWithin(db, NOTED_WITHIN_SECONDS)) return false;
    if (await noteEconomy(service)) return false;
    if (performance.now() - recountedAt < RECOUNT_PAUSE_MS) {
      log.error({}, 'the economy differs from the accounts again: it is counted again when an hour has passed');
      return false;
    }
    log.error({}, 'the economy differs from the accounts, and is counted again from the first block');
    await recountEconomy(service);
    recountedAt = performance.now();
    wakeCounting();
    return false;
  };
}

async function countAndRest(service: Service): Promise<boolean> {
  const began = performance.now();
  if (!(await rollUpBite(service))) return false;
  await delay(Math.min((performance.now() - began) * REST_PER_WORK, MOST_REST_MS));
  return true;
}
