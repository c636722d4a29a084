import { patienceOf } from '../../../scripts/test-plan.ts';
import { ENTRY } from './entry.ts';

/** How long this process waits for one thing. */
export function patienceMs(): number {
  return patienceOf(ENTRY);
}
