import { listRelayers } from '../../../src/chain/relayers.ts';
import { until } from '../unit/until.ts';
import type { Scenario } from './scenario.ts';

/** Selectors of the token's `pause()` and `unpause()`. */
export const PAUSE = '0x8456cb59';
export const UNPAUSE = '0x3f4ba83a';

/** Calls the token as its admin: the operator, who deployed it. */
export async function asAdmin(
  s: Pick<Scenario, 'service' | 'faulty'>,
  data: string,
  { wait = true } = {},
): Promise<void> {
  const admin = (await listRelayers(s.service.db)).find(({ purpose }) => purpose === 'operator')!.address;
  const hash = await s.faulty.sendAs(admin, { to: s.service.chain.contracts.token, data });
  if (!wait) return;
  await until('the admin call is mined', async () => {
    const receipt = (await s.faulty.evm.rpc('eth_getTransactionReceipt', [hash])) as { status: string } | null;
    if (receipt?.status === '0x0') throw new Error('the admin was refused');
    return receipt !== null;
  });
}
