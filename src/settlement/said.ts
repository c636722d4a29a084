import type { Said } from '../membership/processes.ts';
import type { Engine } from './engine.ts';

/** What fails for less than this may be a node that restarts. */
const TROUBLE_MS = 10_000;

/** Of a reason, which may be a whole page of a gateway. */
const MOST_CHARACTERS = 500;

/** What this process says of its work, to other processes and to commands. */
export function saidOf({ loopFaults, readiness }: Pick<Engine, 'loopFaults' | 'readiness'>): Required<Said> {
  const { unproven, proven } = readiness;
  const lasting = [...loopFaults].filter(([, { since }]) => Date.now() - since.getTime() >= TROUBLE_MS);
  return {
    troubles: lasting.map(([of, { since, reason }]) => ({ of, since: since.toISOString(), reason: storable(reason) })),
    unproven: unproven && { block: Number(unproven.block), reason: storable(unproven.reason) },
    agreed: proven.less && { ...proven.less, last: Number(proven.less.last), reason: storable(proven.less.reason) },
  };
}

/** PostgreSQL takes no NUL, and no half of a character, in JSON. */
const storable = (reason: string): string => reason.slice(0, MOST_CHARACTERS).toWellFormed().replaceAll('\0', '');
