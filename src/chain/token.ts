import { concat, encodeFunctionData, keccak256, pad, stringToHex, toHex } from 'viem/utils';
import type { Address } from '../base/address.ts';
import { bytesToHex, type Hash, type Hex, hexToBytes } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import type { Quarters } from '../base/quarters.ts';
import { quartersAbi, settlementAbi } from './contracts.generated.ts';
import type { Rpc } from './rpc.ts';

/** What the sender signs (ERC-3009 TransferWithAuthorization), valid at any time: validAfter 0, validBefore 2^256−1. */
export type Authorization = {
  readonly from: Address;
  readonly to: Address;
  readonly amount: Quarters;
  /** 32 bytes. The token accepts each nonce once per sender, whatever transaction carries it. */
  readonly nonce: Hash;
};

/** r ‖ s ‖ v, 65 bytes. */
export type AuthorizationSignature = Uint8Array;

export type SignedAuthorization = Authorization & { readonly signature: AuthorizationSignature };

export type Contracts = { readonly token: Address; readonly settlement: Address };

export type ContractCall = { readonly to: Address; readonly data: Hex; readonly gas: bigint };

const VALID_AFTER = 0n;
const VALID_BEFORE = 2n ** 256n - 1n;
const NONCE_DOMAIN = stringToHex('quarters.transfer.v1');

const hashText = (text: string): Hex => keccak256(stringToHex(text));
const word = (value: Hex): Hex => pad(value, { size: 32 });

const TRANSFER_TYPEHASH = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const DOMAIN_TYPEHASH = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');

/** The authorization nonce of a transfer: the same id gives the same nonce for ever, so no retry can pay twice. */
export function authorizationNonce(transferId: TransferId): Hash {
  return keccak256(concat([NONCE_DOMAIN, `0x${transferId.replaceAll('-', '')}`])) as Hash;
}

/** The token's EIP-712 domain separator. */
export function domainSeparator(chainId: number, token: Address): Hex {
  return keccak256(
    concat([DOMAIN_TYPEHASH, hashText('Quarters'), hashText('1'), toHex(chainId, { size: 32 }), word(token)]),
  );
}

const DOMAIN_SEPARATOR = '0x3644e515';

/** The domain separator that the contract at an address reports; `0x` if it reports none. */
export function readDomainSeparator(rpc: Rpc, token: Address): Promise<string> {
  return rpc.call<string>('eth_call', [{ to: token, data: DOMAIN_SEPARATOR }, 'latest']);
}

/** The 32 bytes the sender signs (EIP-712, ERC-3009). `domain`: see {@link domainSeparator}. */
export function authorizationDigest(domain: Hex, { from, to, amount, nonce }: Authorization): Uint8Array {
  const struct = keccak256(
    concat([
      TRANSFER_TYPEHASH,
      word(from),
      word(to),
      toHex(amount, { size: 32 }),
      toHex(VALID_AFTER, { size: 32 }),
      toHex(VALID_BEFORE, { size: 32 }),
      nonce,
    ]),
  );
  return hexToBytes(keccak256(concat(['0x1901', domain, struct])));
}

export function joinSignature({ rs, yParity }: { rs: Uint8Array; yParity: 0 | 1 }): AuthorizationSignature {
  return Buffer.concat([rs, Buffer.from([27 + yParity])]);
}

function splitSignature(signature: AuthorizationSignature): { v: number; r: Hex; s: Hex } {
  return {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32, 64)),
    v: signature[64]!,
  };
}

const CANCEL_TYPEHASH = hashText('CancelAuthorization(address authorizer,bytes32 nonce)');

/** The 32 bytes that the sender signs to cancel an authorization (EIP-712, ERC-3009). */
export function cancellationDigest(domain: Hex, authorizer: Address, nonce: Hash): Uint8Array {
  const struct = keccak256(concat([CANCEL_TYPEHASH, word(authorizer), nonce]));
  return hexToBytes(keccak256(concat(['0x1901', domain, struct])));
}

// Gas limits are constants measured on the compiled contracts, not estimates. An estimate is a round trip and depends
// on a state that changes before the block, and a stuck node would stop signing. Unused gas is not paid. Measured:
// 85,532 for a direct transfer to a new recipient; 26,300 + 63,050 n through Settlement.sol, which also needs its floor
// of 100,000 left before the last authorization.
const GAS_DIRECT = 120_000n;
const GAS_CANCEL = 100_000n;
const GAS_SETTLE_BASE = 110_000n;
const GAS_SETTLE_EACH = 70_000n;

/** The gas limit of a transaction that carries `count` authorizations. */
export function gasFor(count: number): bigint {
  return count === 1 ? GAS_DIRECT : GAS_SETTLE_BASE + GAS_SETTLE_EACH * BigInt(count);
}

/** The call that carries these authorizations: one goes to the token itself, several through Settlement.sol. */
export function carry({ token, settlement }: Contracts, authorizations: readonly SignedAuthorization[]): ContractCall {
  const [only] = authorizations;
  if (authorizations.length === 1 && only) {
    const { v, r, s } = splitSignature(only.signature);
    const data = encodeFunctionData({
      abi: quartersAbi,
      functionName: 'transferWithAuthorization',
      args: [only.from, only.to, only.amount, VALID_AFTER, VALID_BEFORE, only.nonce, v, r, s],
    });
    return { to: token, data, gas: gasFor(1) };
  }
  const data = encodeFunctionData({
    abi: settlementAbi,
    functionName: 'settle',
    args: [
      authorizations.map(({ from, to, amount, nonce, signature }) => ({
        from,
        to,
        value: amount,
        nonce,
        ...splitSignature(signature),
      })),
    ],
  });
  return { to: settlement, data, gas: gasFor(authorizations.length) };
}

/** The call that makes an authorization unusable for ever. It reverts, harmlessly, if the payment came first. */
export function cancel(
  { token }: Contracts,
  authorizer: Address,
  nonce: Hash,
  signature: AuthorizationSignature,
): ContractCall {
  const { v, r, s } = splitSignature(signature);
  const data = encodeFunctionData({
    abi: quartersAbi,
    functionName: 'cancelAuthorization',
    args: [authorizer, nonce, v, r, s],
  });
  return { to: token, data, gas: GAS_CANCEL };
}
