import type { Address } from '../base/address.ts';
import { asHash, bytesToHex, type Hash, hexToBytes } from '../base/hex.ts';
import { bytesOfUuid, type RequestId, type TransferId, uuidOfBytes } from '../base/ids.ts';
import { KEY_ID_BYTES, type KeyId, type Seed } from './seed.ts';

/**
 * What a transfer pays. Never is one signed for two payments: the token then refuses the second, even if every row of the first is lost.
 *
 * | part | id |
 * |---|---|
 * | `payment`: what its payer pays of a request, and payouts | the request |
 * | `reward`: what a reward pays of a request | the request |
 * | `refund` | the refund, which is a request of its own |
 * | `transfer`: what has no request: issues, withdrawals, closed and merged accounts | the transfer |
 *
 * Ids of what was made with a key follow from that key. What the chain has cancelled is paid under its name once more, see {@link nameToPay}.
 */
export type PaymentName = { readonly part: PaymentPart; readonly id: RequestId | TransferId };

const PARTS = ['payment', 'reward', 'refund', 'transfer'] as const;
export type PaymentPart = (typeof PARTS)[number];

/** Bytes of what is paid. Those of whom it pays follow. */
const WHAT_BYTES = 16;
/** Of {@link encodeName}: how often a payment can be cancelled on the chain, and be paid under its name once more. */
const MOST_TRIES = 8;
/** The bits of a UUID that say its version and variant (RFC 9562, section 4), and so nothing else of it. */
const [VERSION_AT, VARIANT_AT] = [6, 8] as const;

/** 16 bytes for what is paid. For others they are random. `tries`: how many payments of that name the chain shows as cancelled. */
export function whatOf(seed: Seed, name: PaymentName, tries = 0): Buffer {
  return seed.encipherName(encodeName(name, tries));
}

/** The name of what 16 bytes of {@link whatOf} pay. Of any other bytes it is some name, so the other half of the nonce has to be ours too. */
export function readWhat(seed: Seed, what: Uint8Array): PaymentName {
  return decodeName(seed.decipherName(what));
}

/** The first bytes that the chain does not show as cancelled. `cancelled`: in hex; null if none is known. */
export function nameToPay(seed: Seed, name: PaymentName, cancelled: ReadonlySet<string> | null): Buffer {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const what = whatOf(seed, name, tries);
    if (!cancelled?.has(what.toString('hex'))) return what;
  }
  throw new Error(`The chain has cancelled ${MOST_TRIES} payments of ${name.part} ${name.id}`);
}

/** The id's bytes, with the part and the tries in the bits of its version and variant. */
function encodeName({ part, id }: PaymentName, tries: number): Buffer {
  const bytes = bytesOfUuid(id);
  const version = bytes[VERSION_AT]! >> 4;
  if (version !== 7 && version !== 8) throw new Error(`The id ${id} has no time, so nothing is paid for it`);
  const code = (PARTS.indexOf(part) << 4) | ((version - 7) << 3) | tries;
  setCode(bytes, code);
  return bytes;
}

function decodeName(bytes: Buffer): PaymentName {
  const code = ((bytes[VERSION_AT]! >> 4) << 2) | (bytes[VARIANT_AT]! >> 6);
  const version = 7 + ((code >> 3) & 1);
  setCode(bytes, (version << 2) | 0b10);
  return { part: PARTS[code >> 4]!, id: uuidOfBytes(bytes) as RequestId };
}

function setCode(bytes: Buffer, code: number): void {
  bytes[VERSION_AT] = ((code >> 2) << 4) | (bytes[VERSION_AT]! & 0x0f);
  bytes[VARIANT_AT] = ((code & 3) << 6) | (bytes[VARIANT_AT]! & 0x3f);
}

/**
 * The nonce of an authorization (ERC-3009): what is paid, and whom, for us alone. `whom`: what the recipient's key is derived from, or for a
 * reward's part the key of the player for whom the treasury pays; null if it is not ours, or from before there was a seed.
 */
export function nonceOfPayment(seed: Seed, payer: Address, what: Buffer, whom: Uint8Array | null): Hash {
  const veiled = seed.veil(payer, what);
  if (whom?.length === KEY_ID_BYTES) xorInto(veiled, whom);
  return asHash(bytesToHex(Buffer.concat([what, veiled])));
}

/** The two parts of a nonce of {@link nonceOfPayment}. For any other nonce they are random. */
export function readNonceOfPayment(
  seed: Seed,
  payer: Address,
  nonce: Hash,
): { readonly what: Buffer; readonly whom: KeyId } {
  const bytes = Buffer.from(hexToBytes(nonce));
  const what = bytes.subarray(0, WHAT_BYTES);
  const whom = seed.veil(payer, what);
  xorInto(whom, bytes.subarray(WHAT_BYTES));
  return { what, whom: whom as unknown as KeyId };
}

/** Whether a nonce of ours names nobody: the key is not ours, or from before there was a seed. */
export function namesNobody(whom: KeyId): boolean {
  return whom.every((byte) => byte === 0);
}

function xorInto(bytes: Buffer, other: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i]! ^= other[i]!;
}
