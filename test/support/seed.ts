import { createHash, randomInt } from 'node:crypto';

/** The runner sets it for all processes of a run; whoever sets it before gets the same cases again. */
export const SEED_VARIABLE = 'QUARTERS_TEST_SEED';

/** Fast-check takes signed 32 bits. */
const LIMIT = 2 ** 31;

/** Variables that set the seed of one purpose alone. */
const OWN_VARIABLES: Readonly<Record<string, string>> = {
  faults: 'FAULT_SEED',
  fuzz: 'FUZZ_SEED',
  properties: 'FC_SEED',
};

/** The seed of this run: a whole number of 31 bits. A process that has none chooses one, which its children get too. */
export function runSeed(): number {
  process.env[SEED_VARIABLE] ??= String(randomInt(LIMIT));
  return Number(process.env[SEED_VARIABLE]);
}

/** The seed for one purpose, such as `fuzz`: of the run's seed, or as the purpose's own variable says. */
export function seedOf(purpose: string): number {
  const own = process.env[OWN_VARIABLES[purpose] ?? ''];
  if (own) return Number(own);
  return createHash('sha256').update(`${runSeed()}/${purpose}`).digest().readUInt32BE() % LIMIT;
}
