import { Problem } from '../base/problems.ts';

/** The result of `act`, or its refusal of invalid input, with which the form is shown again. Other errors are thrown. */
export async function attempt<T>(act: () => Promise<T>): Promise<T | Problem> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-input') throw error;
    return error;
  }
}
