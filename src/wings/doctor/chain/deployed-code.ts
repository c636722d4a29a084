import { randomBytes } from 'node:crypto';
import { type Address, asAddress, ZERO_ADDRESS } from '../../../base/address.ts';
import { bytesToHex } from '../../../base/hex.ts';
import { asQuarters } from '../../../base/quarters.ts';
import { selectorOf } from '../../../chain/abi-words.ts';
import { createdAddress, planDeployment, settlementCreation } from '../../../chain/deployment.ts';
import type { Rpc } from '../../../chain/rpc.ts';
import { type Contracts, domainSeparator } from '../../../chain/token.ts';
import { ADMIN_ROLE, MINTER_ROLE, PAUSER_ROLE } from '../../../chain/token-roles.ts';

/** `ours`: exactly what this version deploys. `absent`: there is no code. `unknown`: the node could not tell. */
export type CodeState = 'ours' | 'other' | 'absent' | 'unknown';

/**
 * Compares the code of both contracts with what this version deploys. The node creates each once more in a call, which changes nothing.
 * The token holds its own address and domain, so those of the trial are replaced before comparing.
 */
export async function compareCode(
  rpc: Rpc,
  chainId: number,
  { token, settlement }: Contracts,
): Promise<{ readonly token: CodeState; readonly settlement: CodeState }> {
  // A sender without transactions, so that the address of what it creates is known.
  const trier = asAddress(bytesToHex(randomBytes(20)));
  const { deployments } = planDeployment(trier, trier, asQuarters(1));
  const trial = createdAddress(trier, 0n);
  const replaced = (code: string) =>
    code
      .replaceAll(trial.slice(2), token.slice(2))
      .replaceAll(domainSeparator(chainId, trial).slice(2), domainSeparator(chainId, token).slice(2));
  const [tokenCode, settlementCode] = await Promise.all([
    create(rpc, trier, deployments[0]!.data),
    create(rpc, trier, settlementCreation(token)),
  ]);
  return {
    token: await compare(rpc, token, tokenCode && replaced(tokenCode)),
    settlement: await compare(rpc, settlement, settlementCode),
  };
}

/** The code that a creation would leave; null if the node does not say. */
async function create(rpc: Rpc, from: Address, data: Uint8Array): Promise<string | null> {
  const [reply] = await rpc.batch([{ method: 'eth_call', params: [{ from, data: bytesToHex(data) }, 'latest'] }]);
  return reply?.kind === 'result' ? String(reply.result).toLowerCase() : null;
}

async function compare(rpc: Rpc, address: Address, expected: string | null): Promise<CodeState> {
  const code = (await rpc.call<string>('eth_getCode', [address, 'latest'])).toLowerCase();
  if (code === '0x') return 'absent';
  if (expected === null || expected === '0x') return 'unknown';
  return code === expected ? 'ours' : 'other';
}

/** What the token says of itself and of one account. */
export type TokenRights = {
  readonly isPaused: boolean;
  readonly isAdmin: boolean;
  readonly isMinter: boolean;
  readonly isPauser: boolean;
};

const HAS_ROLE = bytesToHex(selectorOf('hasRole(bytes32,address)'));
const PAUSED = bytesToHex(selectorOf('paused()'));

/** Whether the token is paused, and which of its roles `account` has. */
export async function readTokenRights(rpc: Rpc, token: Address, account: Address): Promise<TokenRights> {
  const ask = async (data: string) => {
    return BigInt(await rpc.call<string>('eth_call', [{ from: ZERO_ADDRESS, to: token, data }, 'latest'])) !== 0n;
  };
  const hasRole = (role: string) => ask(`${HAS_ROLE}${role.slice(2)}${account.slice(2).padStart(64, '0')}`);
  const [isPaused, isAdmin, isMinter, isPauser] = await Promise.all([
    ask(PAUSED),
    hasRole(ADMIN_ROLE),
    hasRole(MINTER_ROLE),
    hasRole(PAUSER_ROLE),
  ]);
  return { isPaused, isAdmin, isMinter, isPauser };
}
