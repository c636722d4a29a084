import { Problem } from '../../base/problems.ts';
import { CommitUnknown } from '../../db/database.ts';

/** What an operator does about a command of which nobody knows whether it was done. `look`: a sentence for where there is no key. */
export function whatToDo(key: string | undefined, look: string): string {
  return key === undefined ? look : 'Run it again soon, with the same --key: it is done once.';
}

/** `deciding`, whose doubt about a lost COMMIT is told in the words of the command line. `then`: what to do about it. */
export async function orLook<T>(deciding: Promise<T>, then: string): Promise<T> {
  return deciding.catch((error: unknown) => {
    const isDoubt = error instanceof CommitUnknown || (error instanceof Problem && error.code === 'outcome-unknown');
    if (!isDoubt) throw error;
    throw new Problem(
      'outcome-unknown',
      `It is not known whether this was done: the database went away before it said so. ${then}`,
    );
  });
}
