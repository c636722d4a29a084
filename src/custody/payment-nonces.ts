import type { Address } from '../base/address.ts';
import { asHash, bytesToHex, type Hash, hexToBytes } from '../base/hex.ts';
import type { RequestId, TransferId } from '../base/ids.ts';
import { KEY_ID_BYTES, type KeyId, type Seed } from './seed.ts';

/**
 * What a transfer pays. Never is one signed for two payments: the token then refuses the second, even if every row of the first is lost.
 *
 * | paid | named by |
 * |---|---|
 * | a request that its user or a mandate approves: the payer's part | the request |
 * | the part that a reward pays | the request |
 * | a refund | the payment, how many refunds it had before, and the Idempotency-Key |
 * | a payout, a bulk line or an issue with an Idempotency-Key | the key, and the day (UTC), since keys end after 24 hours |
 * | an operator's action, a row of a file of payments | its key, which never ends |
 * | a withdrawal | the key of the form that asked for it, which never ends |
 * | everything else: payouts without a key, closed and merged accounts | the transfer's id |
 *
 * What the chain has cancelled under such a name is paid under the next one, see {@link markToPay}.
 */
export type PaymentName =
  | { readonly kind: 'request' | 'reward'; readonly request: RequestId }
  | { readonly kind: 'refund'; readonly request: RequestId; readonly number: number; readonly key: Uint8Array | null }
  | { readonly kind: 'key'; readonly key: Uint8Array; readonly day: string | null }
  | { readonly kind: 'withdrawal'; readonly key: Uint8Array }
  | { readonly kind: 'transfer'; readonly id: TransferId };

/** Bytes of what is paid. Those of whom it pays follow. */
const WHAT_BYTES = 16;
/** Of a refund: the bytes that say which it is. Those of its Idempotency-Key follow. */
const REFUND_BYTES = 8;

/** 16 bytes for what is paid. For others they are random. */
export function markOfPayment(seed: Seed, name: PaymentName): Buffer {
  switch (name.kind) {
    case 'request':
    case 'reward':
      return mark(seed, name.kind, name.request);
    case 'refund': {
      const { request, number, key } = name;
      return Buffer.concat([markOfRefund(seed, request, number), markOfRefundKey(seed, request, key)]);
    }
    case 'key':
      return mark(seed, 'key', hexOf(name.key), ...(name.day === null ? [] : [name.day]));
    case 'withdrawal':
      return mark(seed, 'withdrawal', hexOf(name.key));
    case 'transfer':
      return mark(seed, 'transfer', name.id);
  }
}

/**
 * The mark to pay under: that of the name, or, if the chain shows it as cancelled, the next one, which follows from it. So if that payment is
 * lost too, a repeat with its Idempotency-Key finds it. `cancelled`: marks in hex; null if none is known.
 */
export function markToPay(seed: Seed, name: PaymentName, cancelled: ReadonlySet<string> | null): Buffer {
  let what = markOfPayment(seed, name);
  while (cancelled?.has(hexOf(what))) what = mark(seed, 'again', hexOf(what));
  return what;
}

/** The first half of a refund's mark: which of a payment's refunds it is. */
export function markOfRefund(seed: Seed, request: RequestId, number: number): Buffer {
  return mark(seed, 'refund', request, `${number}`).subarray(0, REFUND_BYTES);
}

/** The second half of a refund's mark: the Idempotency-Key that asked for it. */
export function markOfRefundKey(seed: Seed, request: RequestId, key: Uint8Array | null): Buffer {
  return mark(seed, 'refund key', request, key ? hexOf(key) : '').subarray(0, WHAT_BYTES - REFUND_BYTES);
}

function mark(seed: Seed, ...texts: string[]): Buffer {
  return seed.paymentMark(texts).subarray(0, WHAT_BYTES);
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/**
 * The nonce of an authorization (ERC-3009): what is paid, and whom, for us alone. `recipient`: what the recipient's key is derived from;
 * null if it is not ours, or from before there was a seed.
 */
export function nonceOfPayment(seed: Seed, payer: Address, what: Buffer, recipient: Uint8Array | null): Hash {
  const whom = seed.veil(payer, what);
  if (recipient?.length === KEY_ID_BYTES) xorInto(whom, recipient);
  return asHash(bytesToHex(Buffer.concat([what, whom])));
}

/** The two parts of a nonce of {@link nonceOfPayment}. For any other nonce they are random. */
export function readNonceOfPayment(
  seed: Seed,
  payer: Address,
  nonce: Hash,
): { readonly what: Buffer; readonly recipient: KeyId } {
  const bytes = Buffer.from(hexToBytes(nonce));
  const what = bytes.subarray(0, WHAT_BYTES);
  const recipient = seed.veil(payer, what);
  xorInto(recipient, bytes.subarray(WHAT_BYTES));
  return { what, recipient: recipient as unknown as KeyId };
}

function xorInto(bytes: Buffer, other: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) bytes[i]! ^= other[i]!;
}
