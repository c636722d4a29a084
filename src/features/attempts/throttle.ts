import { en } from '../../../words/en.ts';
import { delayMs } from '../../base/delays.ts';
import type { UserId } from '../../base/ids.ts';
import { type PageReason, Problem } from '../../base/problems.ts';
import {
  addAttempt,
  type Budget,
  giveBackToBudget,
  keyHash,
  type Taken,
  takeFromBudget,
} from '../../identity/attempts.ts';
import { type KnownBrowser, recognise, rememberAccount } from '../../identity/known-browsers.ts';
import { markPassword } from '../../identity/passwords.ts';
import { findSession, holdSessions } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { reasonText } from '../../words/words.ts';

/** At most `most` attempts within `minutes` by the party that `key` names (`email …`, `address …`). */
export type AttemptLimit = { readonly key: string; readonly most: number; readonly minutes: number };

/**
 * Counts an attempt at `what` (`sign-in`) before it is made, exactly, across all processes. Throws `too-many-tries`
 * above a limit. The party is stored as a hash. A stranger can use up a limit that counts an e-mail address alone, so
 * such a limit must be loose; tight limits include who makes the attempt.
 *
 * The limits count in the given order and stop at the first that is exceeded. The limit of the place alone comes first,
 * or somebody could fill the table with made-up names. The limit of the e-mail address alone comes last, so that a
 * place above its own limit adds nothing to it.
 */
export async function countAttempt(
  { db, security }: Pick<Service, 'db' | 'security'>,
  what: string,
  limits: readonly AttemptLimit[],
): Promise<void> {
  for (const { key, most, minutes } of limits) {
    const count = await addAttempt(db, { key: keyHash(what, key, minutes), minutes });
    if (count > most) {
      if (count === most + 1) noteLockout({ security }, what, { most, minutes });
      throw tooManyTries({ code: 'wait-minutes', number: minutes });
    }
  }
}

/**
 * The limits of one place alone. `client`: its address, as `clientAddress` gives it. An IPv6 /64 network is counted a
 * second time with its neighbours in the /48, ten times as loosely, because one attacker can easily get a /48 (RFC
 * 6177) of 65,536 such networks. The narrow limit comes first, so that a place above it adds nothing to the neighbours'
 * count.
 *
 * `who`: counts what one place does about one account. The neighbours' limit is then only twice the narrow one, because
 * one attacker's networks must stay well below the limit of the account alone.
 */
export function limitsOfClient(client: string, most: number, minutes: number, who?: string): AttemptLimit[] {
  const site = /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(client)?.[1];
  const by = who === undefined ? 'from' : `${who} from`;
  return [
    { key: `${by} ${client}`, most, minutes },
    ...(site === undefined ? [] : [{ key: `${by} ${site}:/48`, most: most * (who === undefined ? 10 : 2), minutes }]),
  ];
}

/**
 * Records that a limit was reached. It is called once per lockout and not for every later refusal, because strangers
 * choose how many of those there are.
 */
export function noteLockout(
  { security }: Pick<Service, 'security'>,
  what: string,
  { most, minutes }: Omit<AttemptLimit, 'key'>,
  userId?: UserId,
): void {
  security.note('locked-out', { userId, what: `${what}, ${most} in ${minutes} minutes` });
}

/** OWASP ASVS 4.0, 2.2.1: no more than 100 failures an hour at one account. */
const OF_UNKNOWN = { most: 100, minutes: 60 };
const OF_KNOWN = { most: 10, minutes: 60 };

export type AttemptSource = {
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
 * Makes an attempt at what opens an account, as far as the account's throttle allows. `attempt` returns null if it
 * was wrong; a right one does not count as a failure. `what`: `sign-in`. `places`: the limits of the place it
 * comes from.
 *
 * A browser known to this account has failures of its own, which nobody else can use up; after those it is treated like
 * any other. All others share the account's failures, and wait longer the more there were. They wait and are not
 * refused, or constant attempts would keep out an owner who has no other browser.
 *
 * Throws `too-many-tries`, and `overloaded` if too many wait.
 */
export async function attemptWithinBudget<T>(
  service: Service,
  what: string,
  source: AttemptSource,
  places: readonly AttemptLimit[],
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  const { budget, taken, delay } = await takeAttempt(service, what, source, places).catch(adviseOn);
  let failed = false;
  try {
    await service.delays.wait(delay, source.client);
    const result = await attempt();
    failed = result === null;
    return result;
  } finally {
    // If this fails, one attempt too many counts; the sign-in itself must not fail.
    if (!failed) await giveBackToBudget(service.db, budget, taken).catch(() => {});
  }
}

type TakenAttempt = { readonly budget: Budget; readonly taken: Taken; readonly delay: number };

async function takeAttempt(
  service: Service,
  what: string,
  { email, userId, knownBrowsers }: AttemptSource,
  places: readonly AttemptLimit[],
): Promise<TakenAttempt> {
  const { db } = service;
  const browser = await recogniseBrowser(service, userId, knownBrowsers);
  if (browser !== null) {
    // Replaces the limits of its place: even the right password costs a hash.
    await countAttempt(service, what, [{ key: `browser ${browser}`, most: 100, minutes: 15 }]);
    const budget = { key: keyHash(what, 'known browser', browser), ...OF_KNOWN };
    const taken = await takeFromBudget(db, budget);
    if (taken) return { budget, taken, delay: 0 };
  }
  await countAttempt(service, what, places);
  const budget = { key: keyHash(what, 'unknown browsers', email), ...OF_UNKNOWN };
  const taken = await takeFromBudget(db, budget);
  // Recorded for the last allowed attempt, and not for each that is refused after it.
  if (taken?.count === OF_UNKNOWN.most) noteLockout(service, what, OF_UNKNOWN, userId ?? undefined);
  if (taken) return { budget, taken, delay: delayMs(taken.count) };
  throw tooManyTries({ code: 'wait-up-to-an-hour' });
}

/** Adds what helps besides waiting. */
export function adviseOn(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'too-many-tries') throw error;
  throw error.reason ? tooManyTries({ ...error.reason, otherWays: true }) : error;
}

/** The reason is for pages; programs get it in English. */
export function tooManyTries(reason: PageReason): Problem {
  return new Problem('too-many-tries', reasonText(en, reason), [], reason);
}

/**
 * The name under which an account knows this browser from an earlier sign-in; null if it does not, or the password was
 * changed since. It grants no access and only chooses which limits count.
 */
export async function recogniseBrowser(
  { db }: Pick<Service, 'db'>,
  userId: UserId | null,
  browsers: readonly KnownBrowser[],
): Promise<string | null> {
  if (userId === null || !browsers.some((browser) => browser.userId === userId)) return null;
  return recognise(browsers, userId, await markPassword(db, userId));
}

/**
 * The accounts that know a browser from now on, after this session was opened or its password changed in it. `session`:
 * the cookie's value.
 */
export async function rememberBrowser(
  { db, settings }: Pick<Service, 'db' | 'settings'>,
  browsers: readonly KnownBrowser[],
  session: string,
): Promise<readonly KnownBrowser[]> {
  return db.transaction(async (tx) => {
    const found = await findSession(tx, session, settings.sessionIdleMinutes);
    // A change of the password ends sessions in its own transaction. While this session is held, it belongs to the
    // password that is read.
    if (!found || !(await holdSessions(tx, [found.uid])).has(found.uid)) return browsers;
    return rememberAccount(browsers, found.userId, await markPassword(tx, found.userId));
  });
}
