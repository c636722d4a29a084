import type { Address } from '../base/address.ts';
import { asHash, bytesToHex, type Hash, type Hex } from '../base/hex.ts';
import type { TransferId } from '../base/ids.ts';
import { keccak256 } from '../base/keccak.ts';
import type { Quarters } from '../base/quarters.ts';
import { AbiWords, hashText, selectorOf } from './abi-words.ts';
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

export type ContractCall = { readonly to: Address; readonly data: Uint8Array; readonly gas: bigint };

const VALID_AFTER = 0n;
/** 2^256−1 */
const VALID_BEFORE = Buffer.alloc(32, 0xff);
const NONCE_DOMAIN = Buffer.from('quarters.transfer.v1');

const TRANSFER_TYPEHASH = hashText(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);
const CANCEL_TYPEHASH = hashText('CancelAuthorization(address authorizer,bytes32 nonce)');
const DOMAIN_TYPEHASH = hashText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
/** What stands before a struct to sign (EIP-712, version 1 of EIP-191). */
const SIGNED_STRUCT = Buffer.from('1901', 'hex');

/** The authorization nonce of a transfer from before nonces were stored. */
export function formerNonce(transferId: TransferId): Hash {
  const id = Buffer.from(transferId.replaceAll('-', ''), 'hex');
  return asHash(bytesToHex(keccak256(Buffer.concat([NONCE_DOMAIN, id]))));
}

/** The token's EIP-712 domain separator. */
export function domainSeparator(chainId: number, token: Address): Hex {
  const struct = new AbiWords(DOMAIN_TYPEHASH, 4)
    .words(hashText('Quarters'))
    .words(hashText('1'))
    .uint(BigInt(chainId))
    .address(token);
  return bytesToHex(keccak256(struct.done()));
}

const DOMAIN_SEPARATOR = '0x3644e515';

/** The domain separator that the contract at an address reports; `0x` if it reports none. */
export function readDomainSeparator(rpc: Rpc, token: Address): Promise<string> {
  return rpc.call<string>('eth_call', [{ to: token, data: DOMAIN_SEPARATOR }, 'latest']);
}

/** The 32 bytes the sender signs (EIP-712, ERC-3009). `domain`: see {@link domainSeparator}. */
export function authorizationDigest(domain: Hex, authorization: Authorization): Uint8Array {
  return structDigest(domain, writeTerms(new AbiWords(TRANSFER_TYPEHASH, 6), authorization));
}

/** The 32 bytes that the sender signs to cancel an authorization (EIP-712, ERC-3009). */
export function cancellationDigest(domain: Hex, authorizer: Address, nonce: Hash): Uint8Array {
  return structDigest(domain, new AbiWords(CANCEL_TYPEHASH, 2).address(authorizer).bytes32(nonce));
}

function structDigest(domain: Hex, struct: AbiWords): Buffer {
  return keccak256(new AbiWords(SIGNED_STRUCT, 2).bytes32(domain).words(keccak256(struct.done())).done());
}

/** Six words, which are the signed struct and begin the call: ERC-3009 has the same order in both. */
function writeTerms(words: AbiWords, { from, to, amount, nonce }: Authorization): AbiWords {
  return words.address(from).address(to).uint(amount).uint(VALID_AFTER).words(VALID_BEFORE).bytes32(nonce);
}

export function joinSignature({ rs, yParity }: { rs: Uint8Array; yParity: 0 | 1 }): AuthorizationSignature {
  return Buffer.concat([rs, Buffer.from([27 + yParity])]);
}

/** Three words: v, r, s. */
function writeSignature(words: AbiWords, signature: AuthorizationSignature): AbiWords {
  return words.uint(BigInt(signature[64]!)).words(signature.subarray(0, 64));
}

// Gas limits are constants measured on the compiled contracts, not estimates. An estimate is a round trip and depends
// on a state that changes before the block, and a stuck node would stop signing. Unused gas is not paid. Measured:
// 85,592 for a direct transfer to a new recipient; 26,300 + 63,050 n through Settlement.sol, which also needs its floor
// of 100,000 left before the last authorization. test/chain/gas.test.ts keeps each limit a tenth above what is needed.
const GAS_DIRECT = 120_000n;
const GAS_CANCEL = 100_000n;
const GAS_SETTLE_BASE = 110_000n;
const GAS_SETTLE_EACH = 70_000n;

/** The gas limit of a transaction that carries `count` authorizations. */
export function gasFor(count: number): bigint {
  return count === 1 ? GAS_DIRECT : GAS_SETTLE_BASE + GAS_SETTLE_EACH * BigInt(count);
}

/** The gas limit that {@link carry} gave a call of ours, by its data. */
export function gasOfCall(data: Uint8Array): bigint {
  const words = (data.length - 4) / 32;
  return gasFor(Math.max(1, Math.floor((words - SETTLE_WORDS) / SETTLE_WORDS_EACH)));
}

const SETTLE_WORDS = 2;
const SETTLE_WORDS_EACH = 7;

const TRANSFER = selectorOf(
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
);
const CANCEL = selectorOf('cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)');
const SETTLE = selectorOf('settle((address,address,uint256,bytes32,uint8,bytes32,bytes32)[])');

/** The call that carries these authorizations: one goes to the token itself, several through Settlement.sol. */
export function carry({ token, settlement }: Contracts, authorizations: readonly SignedAuthorization[]): ContractCall {
  const count = authorizations.length;
  const [only] = authorizations;
  if (count === 1 && only) {
    const call = writeSignature(writeTerms(new AbiWords(TRANSFER, 9), only), only.signature);
    return { to: token, data: call.done(), gas: gasFor(1) };
  }
  // The array is where the first word says: right behind it. Its length comes first.
  const call = new AbiWords(SETTLE, SETTLE_WORDS + SETTLE_WORDS_EACH * count).uint(32n).uint(BigInt(count));
  for (const { from, to, amount, nonce, signature } of authorizations) {
    writeSignature(call.address(from).address(to).uint(amount).bytes32(nonce), signature);
  }
  return { to: settlement, data: call.done(), gas: gasFor(count) };
}

/** The call that makes an authorization unusable for ever. It reverts, harmlessly, if the payment came first. */
export function cancel(
  { token }: Contracts,
  authorizer: Address,
  nonce: Hash,
  signature: AuthorizationSignature,
): ContractCall {
  const call = writeSignature(new AbiWords(CANCEL, 5).address(authorizer).bytes32(nonce), signature);
  return { to: token, data: call.done(), gas: GAS_CANCEL };
}
