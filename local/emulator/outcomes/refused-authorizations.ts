import type { Address } from '../../../src/base/address.ts';
import { bytesToHex, type Hash } from '../../../src/base/hex.ts';
import { selectorOf } from '../../../src/chain/abi-words.ts';
import type { Rpc } from '../../../src/chain/rpc.ts';

// While one block is made, other code stands at the token's address. It refuses some authorizations, and passes every other call on to the
// token's own code. So the block is as after a real refusal, and all other payments in it are paid.

/** Where the token's own code is meanwhile: "emulator" in ASCII. */
const ASIDE = '0x000000000000000000000000656d756c61746f72';
/** As a token says that is paused. */
const REASON = bytesToHex(selectorOf('EnforcedPause()')).slice(2);
/** Of `transferWithAuthorization`, the sixth argument. */
const NONCE_AT = (4 + 5 * 32).toString(16);

const jumpIf = (target: number) => `61${target.toString(16).padStart(4, '0')}57`;

/** Compares the nonce: PUSH32, CALLDATALOAD, EQ. */
const check = (nonce: Hash, refusedAt: number) => `7f${nonce.slice(2)}60${NONCE_AT}3514${jumpIf(refusedAt)}`;

/** CALLDATACOPY, DELEGATECALL, which keeps the token's address and storage, and RETURNDATACOPY. */
const PASS_ON = `365f5f37${'5f5f365f'}73${ASIDE.slice(2)}5af43d5f5f3e`;
const REVERT = '3d5ffd';
const RETURN = '5b3d5ff3';
/** Reverts with the reason. */
const REFUSE = `5b63${REASON}60e01b5f5260045ffd`;

const bytesOf = (code: string) => code.length / 2;

function codeRefusing(nonces: readonly Hash[]): string {
  const checksOf = (target: number) => nonces.map((nonce) => check(nonce, target)).join('');
  const returnAt = bytesOf(checksOf(0) + PASS_ON + jumpIf(0) + REVERT);
  const checks = checksOf(returnAt + bytesOf(RETURN));
  return `0x${checks}${PASS_ON}${jumpIf(returnAt)}${REVERT}${RETURN}${REFUSE}`;
}

/** Lets the token refuse these authorizations while `work` makes a block. */
export async function refusing(
  rpc: Rpc,
  token: Address,
  nonces: readonly Hash[],
  work: () => Promise<void>,
): Promise<void> {
  const own = await rpc.call<string>('eth_getCode', [token, 'latest']);
  await rpc.call('anvil_setCode', [ASIDE, own]);
  await rpc.call('anvil_setCode', [token, codeRefusing(nonces)]);
  try {
    await work();
  } finally {
    await rpc.call('anvil_setCode', [token, own]);
  }
}
