import { until } from '../unit/until.ts';
import { type Accepted, relayerOf, type Scenario } from './scenario.ts';

export const STRANGER = '0x5555555555555555555555555555555555555555';

const GWEI = 10n ** 9n;
export const quantity = (value: bigint) => `0x${value.toString(16)}`;

/** Mines empty blocks at this base fee, so that no cheaper transaction gets in. */
export async function mineAtBaseFee(s: Scenario, gwei: bigint, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await s.faulty.evm.rpc('anvil_setNextBlockBaseFeePerGas', [quantity(gwei * GWEI)]);
    await s.faulty.mine();
  }
}

/** Waits until the node has all of these, unmined. */
export function submitted(s: Scenario, paid: readonly Accepted[]): Promise<void> {
  return until('the node has the transactions', async () => (await s.faulty.waiting()).length === paid.length);
}

/** The relayer's key signs `times` transactions elsewhere, which are mined. */
export async function useRelayerElsewhere(s: Scenario, times: number): Promise<void> {
  const relayer = await relayerOf(s);
  const before = Number(await s.faulty.evm.rpc('eth_getTransactionCount', [relayer, 'latest']));
  for (let i = 0; i < times; i++) await s.faulty.sendAs(relayer, { to: STRANGER });
  await until('the nonces are taken', async () => {
    return Number(await s.faulty.evm.rpc('eth_getTransactionCount', [relayer, 'latest'])) === before + times;
  });
}

/** Until the proxy is healed, nothing of ours reaches the node. */
export function holdBack({ faulty }: Scenario): void {
  faulty.proxy.inject({ fault: 'lose-call', method: 'eth_sendRawTransaction' });
}

/** With mining stopped: puts a stranger's transaction with our calldata into the pool, in front of ours. */
export async function jumpTheQueue(s: Scenario, { txHash }: Accepted): Promise<string> {
  await until('our transaction waits', async () => (await s.faulty.waiting()).some(({ hash }) => hash === txHash));
  const ours = (await s.faulty.waiting()).find(({ hash }) => hash === txHash)!;
  const raw = await s.faulty.raw(txHash);
  holdBack(s);
  await s.faulty.evm.rpc('anvil_dropTransaction', [txHash]);
  const hash = await s.faulty.sendAs(STRANGER, { to: ours.to, data: ours.input, gas: 400_000n });
  await s.faulty.evm.rpc('eth_sendRawTransaction', [raw]);
  s.faulty.proxy.heal();
  return hash;
}
