import type { Relayer } from '../../chain/relayers.ts';
import type { Service, Settlement } from '../service.ts';

type Relayers = Pick<Settlement, 'relayers' | 'leases'>;

/**
 * The relayer whose nonces are taken next. Any process may take nonces of any relayer, because they come from the
 * locked row. Relayers that this process sends for are preferred: processes then wait for each other's rows only if
 * there are fewer relayers than processes.
 */
export function chooseRelayer(settlement: Relayers, turn: number): Relayer {
  const own = settlement.relayers.filter((relayer) => isHeld(settlement, relayer));
  const relayers = own.length > 0 ? own : settlement.relayers;
  const relayer = relayers[turn % relayers.length];
  if (!relayer) throw new Error('There is no relayer');
  return relayer;
}

/** Whether this process sends for the relayer. */
export function isHeld({ leases }: Pick<Settlement, 'leases'>, { address }: Relayer): boolean {
  return leases.some((lease) => lease.address === address);
}

/** The relayers that this process signs with: the oldest ones, as many as configured. */
export function relayersInUse(all: readonly Relayer[], { relayers }: Service['settings']): Relayer[] {
  return all.filter(({ purpose }) => purpose === 'settlement').slice(0, relayers);
}
