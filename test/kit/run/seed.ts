import { createHash, randomInt } from 'node:crypto';

/** The runner sets it for all processes of a run. Setting it beforehand repeats the same cases. */
export const SEED_VARIABLE = 'QUARTERS_TEST_SEED';

/** fast-check takes signed 32 bits. */
const LIMIT = 2 ** 31;

/** Variables that set the seed of one purpose only. */
const OWN_VARIABLES: Readonly<Record<string, string>> = {
  faults: 'FAULT_SEED',
  fuzz: 'FUZZ_SEED',
  properties: 'FC_SEED',
};

/** The seed of this run: a whole number of 31 bits. A process without one chooses it, and its children inherit it. */
export function runSeed(): number {
  process.env[SEED_VARIABLE] ??= String(randomInt(LIMIT));
  return Number(process.env[SEED_VARIABLE]);
}

/** The seed for one purpose, such as `fuzz`: derived from the run's seed, or the purpose's own variable. */
export function seedOf(purpose: string): number {
  const own = process.env[OWN_VARIABLES[purpose] ?? ''];
  if (own) return Number(own);
  return createHash('sha256').update(`${runSeed()}/${purpose}`).digest().readUInt32BE() % LIMIT;
}
