import { type Address, asAddress } from '../base/address.ts';
import { bytesToHex, hexToBytes } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import type { Quarters } from '../base/quarters.ts';
import type { Queries, Tx } from '../db/database.ts';
import { AbiWords } from './abi-words.ts';
import { quartersBytecode, settlementBytecode } from './contracts.generated.ts';
import { rlpList, rlpNumber, rlpString } from './rlp.ts';
import type { Contracts } from './token.ts';

// Measured: 1,973,317 and 438,419.
const GAS_DEPLOY_TOKEN = 2_500_000n;
const GAS_DEPLOY_SETTLEMENT = 600_000n;

/** The number of transactions of the deployment, from the deployer's first nonce on. */
export const DEPLOYMENTS = 2;

export type Deployment = { readonly nonce: bigint; readonly data: Uint8Array; readonly gas: bigint };

/**
 * Plans the two creations of a new installation and their addresses. An address depends only on the deployer and its
 * nonce (0 and 1), so it is known beforehand, and sending the same bytes again cannot create a second token.
 */
export function planDeployment(
  deployer: Address,
  treasury: Address,
  supply: Quarters,
): { contracts: Contracts; deployments: Deployment[] } {
  const token = createdAddress(deployer, 0n);
  const settlement = createdAddress(deployer, 1n);
  const supplied = new AbiWords(hexToBytes(quartersBytecode), 3).address(deployer).address(treasury).uint(supply);
  return {
    contracts: { token, settlement },
    deployments: [
      { nonce: 0n, data: supplied.done(), gas: GAS_DEPLOY_TOKEN },
      { nonce: 1n, data: settlementCreation(token), gas: GAS_DEPLOY_SETTLEMENT },
    ],
  };
}

/** The code that creates the settlement contract of a token. */
export function settlementCreation(token: Address): Uint8Array {
  return new AbiWords(hexToBytes(settlementBytecode), 1).address(token).done();
}

/** The address of the contract that a transaction creates (yellow paper, section 7). */
export function createdAddress(sender: Address, nonce: bigint): Address {
  const hash = keccak256(Buffer.from(rlpList([rlpString(sender.slice(2)), rlpNumber(nonce)]), 'hex'));
  return asAddress(bytesToHex(hash.subarray(12)));
}

/** The chain and the contracts that this database belongs to. */
export type Installation = {
  readonly chainId: number;
  readonly contracts: Contracts;
  /** The ledger follows the chain from here on. */
  readonly startBlock: bigint;
};

/** Lets one process start at a time: the next one finds what this one has stored. */
export async function lockInstallation({ query }: Tx): Promise<void> {
  await query('LOCK TABLE chain IN SHARE ROW EXCLUSIVE MODE');
}

/** Null before the first start. */
export async function readInstallation({ query }: Queries): Promise<Installation | null> {
  const [row] = await query<Contracts & { readonly chainId: bigint; readonly startBlock: bigint }>(
    'SELECT chain_id AS "chainId", token, settlement, start_block AS "startBlock" FROM chain',
  );
  if (!row) return null;
  const { chainId, token, settlement, startBlock } = row;
  return { chainId: Number(chainId), contracts: { token, settlement }, startBlock };
}

export async function insertInstallation(
  { query }: Tx,
  { chainId, contracts, startBlock }: Installation,
): Promise<void> {
  await query('INSERT INTO chain (chain_id, token, settlement, start_block) VALUES ($1, $2, $3, $4)', [
    chainId,
    contracts.token,
    contracts.settlement,
    startBlock,
  ]);
}
