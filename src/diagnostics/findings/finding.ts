import type { Address } from '../../base/address.ts';
import type { AppId, TransferId } from '../../base/ids.ts';
import type { KeptCopy } from '../../custody/kept-copies.ts';

/** `good`: nothing to do. `warning`: look at it today. `bad`: act now. `unknown`: it could not be read. */
export type HealthState = 'good' | 'warning' | 'bad' | 'unknown';

/** Something about a part of the service. `about`: what has a page of its own; its label stands before the value. */
export type HealthFact = {
  readonly name: string;
  readonly value: string;
  readonly about?: { readonly label: string } & (
    | { readonly kind: 'transfer'; readonly id: TransferId }
    | { readonly kind: 'app'; readonly id: AppId }
    | { readonly kind: 'address'; readonly id: Address }
  );
};

/**
 * How to fix a fault. `command`: for the command line. `addresses`: those that it is about. `confirms`: an operator only has to say that they
 * have this copy. `docs`: the paragraph that explains it, a path in the repository.
 */
export type Remedy = {
  readonly says: string;
  readonly command?: string;
  readonly addresses?: readonly `0x${string}`[];
  readonly confirms?: KeptCopy;
  readonly docs: string;
};

/** The state of one part. `says`: one sentence. `remedy`: null if there is nothing to do. */
export type HealthCheck = {
  readonly part: string;
  readonly state: HealthState;
  readonly says: string;
  readonly facts: readonly HealthFact[];
  readonly remedy: Remedy | null;
};

/** The outcome of looking at one part. A good one needs no remedy. */
export type Finding = Pick<HealthCheck, 'state' | 'says'> & {
  readonly facts?: readonly HealthFact[];
  readonly remedy?: Remedy;
};

export const good = (says: string, facts: readonly HealthFact[] = []): Finding => ({ state: 'good', says, facts });

/** Orders states by how much they matter. */
const WEIGHT: Readonly<Record<HealthState, number>> = { good: 0, warning: 1, unknown: 2, bad: 3 };

/** The worst of these states; `good` if there are none. */
export function worstState(states: readonly HealthState[]): HealthState {
  return states.reduce((worst, state) => (WEIGHT[state] > WEIGHT[worst] ? state : worst), 'good');
}
