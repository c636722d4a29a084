import { createHash } from 'node:crypto';
import type { UserId } from '../../base/ids.ts';
import { Problem } from '../../base/problems.ts';
import { addGuess } from '../../identity/guesses.ts';
import type { Service } from '../../settlement/service.ts';

/** At most `most` attempts within `minutes` by the party that `key` names (`email …`, `address …`). */
export type GuessLimit = { readonly key: string; readonly most: number; readonly minutes: number };

/**
 * Counts an attempt at `what` (`sign-in`) before it is made, exactly, across all processes. Throws `too-many-tries`
 * above a limit. The party is stored as a hash. A stranger can use up a limit that counts an e-mail address alone, so
 * such a limit must be loose; tight limits include who makes the attempt.
 *
 * The limits count in the given order and stop at the first that is exceeded. The limit of the place alone comes first,
 * or somebody could fill the table with made-up names. The limit of the e-mail address alone comes last, so that a
 * place above its own limit adds nothing to it.
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

/** The longest time until the count starts again. */
function inWords(minutes: number): string {
  if (minutes === 15) return 'a quarter of an hour';
  if (minutes === 60) return 'an hour';
  return minutes === 24 * 60 ? 'a day' : `${minutes} minutes`;
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
export function fromPlace(client: string, most: number, minutes: number, who?: string): GuessLimit[] {
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
  { most, minutes }: Omit<GuessLimit, 'key'>,
  userId?: UserId,
): void {
  security.note('locked-out', { userId, what: `${what}, ${most} in ${minutes} minutes` });
}

/** The key under which an attempt is counted. */
export function keyHash(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest();
}
