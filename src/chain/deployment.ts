import { encodeDeployData, getContractAddress } from 'viem/utils';
import { type Address, asAddress } from '../base/address.ts';
import type { Hex } from '../base/hex.ts';
import type { Quarters } from '../base/quarters.ts';
import { quartersAbi, quartersBytecode, settlementAbi, settlementBytecode } from './contracts.generated.ts';
import type { Contracts } from './token.ts';

// Measured: 1,973,317 and 438,419.
const GAS_DEPLOY_TOKEN = 2_500_000n;
const GAS_DEPLOY_SETTLEMENT = 600_000n;

/** How many transactions the deployment is, from the deployer's first nonce on. */
export const DEPLOYMENTS = 2;

export type Deployment = { readonly nonce: bigint; readonly data: Hex; readonly gas: bigint };

/**
 * The two creations of a new installation and the addresses they lead to. An address depends only on the deployer and its
 * nonce (0 and 1), so it is known beforehand, and sending the same bytes again can not make a second token.
 */
export function planDeployment(
  deployer: Address,
  treasury: Address,
  supply: Quarters,
): { contracts: Contracts; deployments: Deployment[] } {
  const token = asAddress(getContractAddress({ from: deployer, nonce: 0n }));
  const settlement = asAddress(getContractAddress({ from: deployer, nonce: 1n }));
  return {
    contracts: { token, settlement },
    deployments: [
      {
        nonce: 0n,
        data: encodeDeployData({ abi: quartersAbi, bytecode: quartersBytecode, args: [deployer, treasury, supply] }),
        gas: GAS_DEPLOY_TOKEN,
      },
      {
        nonce: 1n,
        data: encodeDeployData({ abi: settlementAbi, bytecode: settlementBytecode, args: [token] }),
        gas: GAS_DEPLOY_SETTLEMENT,
      },
    ],
  };
}
