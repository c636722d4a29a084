import { type Installation, insertInstallation, planDeployment } from '../chain/deployment.ts';
import type { Relayer } from '../chain/relayers.ts';
import type { Settings } from '../config/settings.ts';
import type { KitFacts } from '../custody/recovery-kit.ts';
import type { Tx } from '../db/database.ts';
import { insertEarlierSweep } from '../ledger/sweeps.ts';

/**
 * What a recovery kit says of the chain, for a database that has nothing but the kit's seed: nothing is deployed. Everything else is read
 * from the chain afterwards (`features/restore`).
 *
 * Throws if the kit is of another chain, or if the contracts are not those of this seed: then the installation is older than its seed,
 * and the keys of its first accounts are in backups alone.
 */
export async function installFromKit(
  tx: Tx,
  settings: Pick<Settings, 'initialSupply'>,
  kit: KitFacts,
  chainId: number,
  { operator, treasury }: { readonly operator: Pick<Relayer, 'address'>; readonly treasury: Pick<Relayer, 'address'> },
): Promise<Installation> {
  if (kit.chainId !== chainId)
    throw new Error(`RECOVERY_KIT_FILE is of chain ${kit.chainId}, but the node is on chain ${chainId}.`);
  const { contracts } = planDeployment(operator.address, treasury.address, settings.initialSupply);
  // After a sweep the contracts are those of an earlier seed's operator.
  if (kit.sweptAfter === null && contracts.token !== kit.contracts.token) {
    throw new Error(
      'RECOVERY_KIT_FILE: this installation is older than its seed. The keys of its treasury and first accounts are in backups of its database only, so restore one.',
    );
  }
  const installed = { chainId, contracts: kit.contracts, startBlock: kit.startBlock };
  await insertInstallation(tx, installed);
  if (kit.sweptAfter !== null) await insertEarlierSweep(tx, kit.sweptAfter);
  return installed;
}
