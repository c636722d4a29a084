import type { Address } from '../base/address.ts';
import type { Hex } from '../base/hex.ts';
import { bytesToHex } from '../base/hex.ts';
import { AbiWords, hashText, selectorOf } from './abi-words.ts';
import type { ContractCall } from './token.ts';

/** The token's roles (OpenZeppelin's AccessControl). The admin gives and takes all of them. */
export const ADMIN_ROLE: Hex = `0x${'0'.repeat(64)}`;
export const MINTER_ROLE = bytesToHex(hashText('MINTER_ROLE'));
export const PAUSER_ROLE = bytesToHex(hashText('PAUSER_ROLE'));

const GRANT = selectorOf('grantRole(bytes32,address)');
const RENOUNCE = selectorOf('renounceRole(bytes32,address)');
// Measured: 51,411 to give a role, and 24,971 to give one up, of which a part comes back only afterwards.
const GAS_ROLE = 80_000n;
const UNPAUSE = selectorOf('unpause()');
const GAS_UNPAUSE = 40_000n;

/**
 * The calls by which the token's admin gives all roles to another account, in their order: its own last, as the others need it. Whoever knows its
 * key may have paused the token, so that is ended in between. Otherwise that call reverts, which does no harm.
 */
export function handOverCalls(token: Address, from: Address, to: Address): ContractCall[] {
  const call = (selector: Buffer, role: Hex, account: Address): ContractCall => ({
    to: token,
    data: new AbiWords(selector, 2).bytes32(role).address(account).done(),
    gas: GAS_ROLE,
  });
  const roles = [MINTER_ROLE, PAUSER_ROLE, ADMIN_ROLE];
  return [
    ...roles.map((role) => call(GRANT, role, to)),
    { to: token, data: UNPAUSE, gas: GAS_UNPAUSE },
    ...roles.map((role) => call(RENOUNCE, role, from)),
  ];
}
