import { readWrappedSeed } from '../../custody/data-keys.ts';
import { kitText } from '../../custody/recovery-kit.ts';
import { blockOfLastSweep } from '../../ledger/sweeps.ts';
import type { Service } from '../../service/service.ts';

/** The recovery kit of this installation, as a file. */
export async function readRecoveryKit({
  db,
  chain,
  publicUrl,
}: Pick<Service, 'db' | 'chain' | 'publicUrl'>): Promise<string> {
  const [seed, sweptAfter] = await Promise.all([readWrappedSeed(db), blockOfLastSweep(db)]);
  if (!seed) throw new Error('This database has no seed yet. The next start of the service makes it.');
  const { chainId, contracts, startBlock } = chain;
  const kit = { origin: publicUrl, chainId, contracts, startBlock, sweptAfter, wrappedSeed: seed.wrapped };
  return kitText(kit, seed.wrappedAt);
}
