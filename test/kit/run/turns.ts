import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext, TestFn } from 'node:test';
import { seedOf } from './seed.ts';

/** The runner sets it for whole runs of the usual tier. A file that is named, and `npm run test:all`, run all of their tests. */
export const TURNS_VARIABLE = 'QUARTERS_TEST_TURNS';

const SKIPPED = 'the turn of another run';

/**
 * For the `skip` of a test that checks elsewhere what a test of each run checks too: the same kill at another step, the same way to the
 * game from another page. One whole run in `n` has it, which its seed chooses. False if it is this one.
 */
export function notInTurn(n: number, name: string): string | false {
  return areTurnsTaken() && seedOf(`turn of ${name}`) % n !== 0 && SKIPPED;
}

/** The same for all subtests of a test: each whole run has every n-th of them. They must not build on each other. */
export function inTurns(t: TestContext, n: number): TestContext {
  let index = areTurnsTaken() ? seedOf(`turns of ${t.fullName}`) : null;
  const test = (name: string, ...rest: unknown[]) => {
    const skip = index !== null && index++ % n !== 0 && SKIPPED;
    const [options, run] = rest.length > 1 ? rest : [{}, rest[0]];
    return t.test(name, { ...(options as object), ...(skip && { skip }) }, run as TestFn);
  };
  return new Proxy(t, {
    get(target, key) {
      if (key === 'test') return test;
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** All of `cases`, and in a whole run of the usual tier one of them. */
export function oneInTurn<T>(cases: readonly T[], purpose: string): readonly T[] {
  return areTurnsTaken() && cases.length > 0 ? [cases[seedOf(`turn of ${purpose}`) % cases.length]!] : cases;
}

const LISTED = join(import.meta.dirname, '../../turns.json');

/**
 * For the `skip` of a whole file. `test/turns.json` lists those that take more than two seconds of processor time, dearest first, so that each
 * run has as many dear ones as every other. False if this run has the file.
 */
export function notInTurnOfFiles(path: string): string | false {
  if (!areTurnsTaken()) return false;
  const { everyThird, everyFourth } = JSON.parse(readFileSync(LISTED, 'utf8')) as Record<string, readonly string[]>;
  const isOthers = (files: readonly string[], n: number) =>
    files.includes(path) && (files.indexOf(path) + seedOf('turn of files')) % n !== 0;
  return (isOthers(everyThird!, 3) || isOthers(everyFourth!, 4)) && SKIPPED;
}

/** Whether this is a whole run of the usual tier. */
export function areTurnsTaken(): boolean {
  return process.env[TURNS_VARIABLE] === '1';
}
