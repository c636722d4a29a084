import { delayMs } from '../../base/delays.ts';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { type Budget, giveBackToBudget, type Taken, takeFromBudget } from '../../identity/attempts.ts';
import type { KnownBrowser } from '../../identity/known-browsers.ts';
import type { Service } from '../../settlement/service.ts';
import { recogniseBrowser } from '../sessions/known-browser.ts';
import { countGuess, type GuessLimit, keyHash, noteLockout } from './count-guess.ts';

/** OWASP ASVS 4.0, 2.2.1: no more than 100 failures an hour at one account. */
const OF_UNKNOWN = { most: 100, minutes: 60 };
const OF_KNOWN = { most: 10, minutes: 60 };

export type Guesser = {
  /** Folded. It is counted even without an account, so that limits do not reveal whether there is one. */
  readonly email: string;
  /** The account's user; null if there is none. */
  readonly userId: UserId | null;
  /** The contents of the browser's cookie. */
  readonly knownBrowsers: readonly KnownBrowser[];
  /** The address of the caller. */
  readonly client: string;
};

/**
 * Makes an attempt at what opens an account, as far as the account's throttle allows. `guess` returns null if the
 * attempt was wrong; a right one does not count as a failure. `what`: `sign-in`. `places`: the limits of the place it
 * comes from.
 *
 * A browser known to this account has failures of its own, which nobody else can use up; after those it is treated like
 * any other. All others share the account's failures, and wait longer the more there were. They wait and are not
 * refused, or constant attempts would keep out an owner who has no other browser.
 *
 * Throws `too-many-tries`, `overloaded`, and what `guess` throws.
 */
export async function guessWithinBudget<T>(
  service: Service,
  what: string,
  guesser: Guesser,
  places: readonly GuessLimit[],
  guess: () => Promise<T | null>,
): Promise<T | null> {
  const { budget, taken, delay } = await takeGuess(service, what, guesser, places).catch(adviseOn);
  let failed = false;
  try {
    await service.delays.wait(delay, guesser.client);
    const result = await guess();
    failed = result === null;
    return result;
  } finally {
    // If this fails, one attempt too many counts; the sign-in itself must not fail.
    if (!failed) await giveBackToBudget(service.db, budget, taken).catch(() => {});
  }
}

type TakenGuess = { readonly budget: Budget; readonly taken: Taken; readonly delay: number };

async function takeGuess(
  service: Service,
  what: string,
  { email, userId, knownBrowsers }: Guesser,
  places: readonly GuessLimit[],
): Promise<TakenGuess> {
  const { db } = service;
  const browser = await recogniseBrowser(service, userId, knownBrowsers);
  if (browser !== null) {
    // Replaces the limits of its place: even the right password costs a hash.
    await countGuess(service, what, [{ key: `browser ${browser}`, most: 100, minutes: 15 }]);
    const budget = { key: keyHash(what, 'known browser', browser), ...OF_KNOWN };
    const taken = await takeFromBudget(db, budget);
    if (taken) return { budget, taken, delay: 0 };
  }
  await countGuess(service, what, places);
  const budget = { key: keyHash(what, 'unknown browsers', email), ...OF_UNKNOWN };
  const taken = await takeFromBudget(db, budget);
  // Recorded for the last allowed attempt, and not for each that is refused after it.
  if (taken?.count === OF_UNKNOWN.most) noteLockout(service, what, OF_UNKNOWN, userId ?? undefined);
  if (taken) return { budget, taken, delay: delayMs(taken.count) };
  throw new Problem('too-many-tries', 'Please wait up to an hour and try again.');
}

/** Adds what helps besides waiting. */
export function adviseOn(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'too-many-tries') throw error;
  throw new Problem(error.code, `${error.message} ${OTHER_WAYS}`);
}

const OTHER_WAYS = 'You can still use a passkey, or a browser you have signed in with before.';
