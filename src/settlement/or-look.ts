import { Problem } from '../base/problems.ts';
import { CommitUnknown } from '../db/database.ts';

/** Advice for an operator whose command has an unknown outcome. `look`: the sentence for a command without a key. */
export function whatToDo(key: string | undefined, look: string): string {
  return key === undefined ? look : 'Run it again soon, with the same --key: it is done once.';
}

/** Awaits `deciding`, and rewords the doubt about a lost COMMIT for the command line. `then`: what to do about it. */
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
