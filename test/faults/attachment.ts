import { listRelayers } from '../../src/chain/relayers.ts';
import { call } from '../kit/service/call.ts';
import type { Evm } from '../kit/service/evm.ts';
import type { Scenario } from '../kit/service/scenario.ts';
import type { TestService } from '../kit/service/service.ts';
import { until } from '../kit/unit/until.ts';

/** Resolves when `/readyz` answers so: what it saw of the node may be a second old. */
export const untilReadyz = ({ app }: TestService | Scenario, status: number, chain: string) =>
  until(`/readyz is ${status} with ${chain}`, async () => {
    const answer = await call(app, 'GET /readyz');
    return answer.statusCode === status && answer.json().chain === chain;
  });

/** How many transactions of the relayers the chain has. */
export async function sentBy(s: Scenario): Promise<number> {
  const relayers = await listRelayers(s.service.db);
  const counts = relayers.map(({ address }) => s.faulty.evm.rpc('eth_getTransactionCount', [address, 'pending']));
  return (await Promise.all(counts)).reduce<number>((sum, count) => sum + Number(count), 0);
}

export const setCode = (evm: Evm, address: string, code: unknown) => evm.rpc('anvil_setCode', [address, code]);
export const codeOf = (evm: Evm, address: string) => evm.rpc('eth_getCode', [address, 'latest']);
