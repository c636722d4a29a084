import { createHash } from 'node:crypto';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { addGuess } from '../../identity/guesses.ts';
import type { Service } from '../service.ts';

/** At most `most` guesses within `minutes` by whom `key` names (`email …`, `address …`). */
export type GuessLimit = { readonly key: string; readonly most: number; readonly minutes: number };

/**
 * Counts a guess at `what` (`sign-in`) before it is made, strictly across processes; throws `too-many-tries` above a limit.
 * Who is counted is stored as a hash. A stranger can use up what is counted by an e-mail address alone: such a limit must be
 * loose, and the tight ones name the guesser.
 *
 * The limits count in the order given, and none after the first that is exceeded: so the one of the place alone comes first,
 * else somebody could fill the table with names they make up; and the one of the e-mail address alone comes last, so that one
 * place, having used up its own tries, adds nothing to it.
 */
export async function countGuess(
  { db, security }: Pick<Service, 'db' | 'security'>,
  what: string,
  limits: readonly GuessLimit[],
): Promise<void> {
  for (const { key, most, minutes } of limits) {
    const count = await addGuess(db, { key: keyHash(what, key, minutes), minutes });
    if (count > most) {
      if (count === most + 1) noteLockout({ security }, what, { most, minutes });
      throw new Problem('too-many-tries', `Please wait ${inWords(minutes)} and try again.`);
    }
  }
}

/** How long it takes until the count begins anew, at the most. */
function inWords(minutes: number): string {
  if (minutes === 15) return 'a quarter of an hour';
  if (minutes === 60) return 'an hour';
  return minutes === 24 * 60 ? 'a day' : `${minutes} minutes`;
}

/**
 * The limits of one place alone. `client`: its address, as `clientAddress` gives it. An IPv6 network of 64 bits is counted once more with
 * its neighbours, ten times as loosely: one attacker gets 48 bits as easily (RFC 6177), which are 65,536 such networks. The
 * narrow limit comes first, so that who is above it adds nothing to the neighbours' one.
 *
 * `who`: counts what one place does about one account. The neighbours' limit is only twice the narrow one then: one attacker's
 * networks must stay well below the limit of the account alone.
 */
export function fromPlace(client: string, most: number, minutes: number, who?: string): GuessLimit[] {
  const site = /^((?:[\da-f]+:){3})[\da-f]+::\/64$/.exec(client)?.[1];
  const by = who === undefined ? 'from' : `${who} from`;
  return [
    { key: `${by} ${client}`, most, minutes },
    ...(site === undefined ? [] : [{ key: `${by} ${site}:/48`, most: most * (who === undefined ? 10 : 2), minutes }]),
  ];
}

/** Notes that a limit was reached. Called once for each time, and not for each refusal after it: strangers choose how many those are. */
export function noteLockout(
  { security }: Pick<Service, 'security'>,
  what: string,
  { most, minutes }: Omit<GuessLimit, 'key'>,
  userId?: UserId,
): void {
  security.note('locked-out', { userId, what: `${what}, ${most} in ${minutes} minutes` });
}

/** The key under which a guess is counted. */
export function keyHash(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
