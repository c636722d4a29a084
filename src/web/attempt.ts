import { Problem } from '../base/problems.ts';

/** What `act` comes to, or the refusal of what was typed (`invalid-input`), for the form to be shown again with. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | Problem> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-input') throw error;
    return error;
  }
}
