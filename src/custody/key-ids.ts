import { randomBytes } from 'node:crypto';
import { type AppId, LETTERS_AND_DIGITS, type UserId } from '../base/ids.ts';
import { KEY_ID_BYTES, type KeyId, MARK_BITS, type Seed } from './seed.ts';

/** The first byte of a key id says whose it is. Those of users begin with any other. */
const SERVICE = 0xfe;
const APP = 0xff;
const MOST_OF_USERS = 0xfd;

/** The service's own accounts. Their key ids need no randomness, so that whoever has the seed finds them. */
export type ServiceAccount = 'treasury' | 'operator' | `relayer ${number}`;

const RADIX = BigInt(LETTERS_AND_DIGITS.length);
const USER_ID_LENGTH = 28;

/** Of a guest's key id: the bytes that name them. Those that say whose guest they are follow. */
const GUEST_NAME_BYTES = 10;

/**
 * The key id of a guest. It says whose guest they are, to whoever has the seed. `name`: ten bytes that follow from the key of the call which
 * creates them; null: random ones.
 */
export function keyIdOfGuest(seed: Seed, appId: AppId, name: Uint8Array | null): KeyId {
  const own = Buffer.from(name ?? randomBytes(GUEST_NAME_BYTES));
  own[0]! %= MOST_OF_USERS + 1;
  return Buffer.concat([own, seed.guestMark(own, appId)]) as unknown as KeyId;
}

/** Whether {@link keyIdOfGuest} made a key id for this app. */
export function isKeyIdOfGuest(seed: Seed, keyId: KeyId, appId: AppId): boolean {
  const own = keyId.subarray(0, GUEST_NAME_BYTES);
  return seed.guestMark(own, appId).equals(keyId.subarray(GUEST_NAME_BYTES));
}

export function newKeyId(): KeyId {
  for (;;) {
    const keyId = randomBytes(KEY_ID_BYTES) as unknown as KeyId;
    if (keyId[0]! <= MOST_OF_USERS) return keyId;
  }
}

export function keyIdOfService(account: ServiceAccount): KeyId {
  const keyId = Buffer.alloc(KEY_ID_BYTES);
  keyId[0] = SERVICE;
  keyId.write(account, 1, 'ascii');
  return keyId as KeyId;
}

/** An app's id has less than 120 bits, so it is the key id. */
export function keyIdOfApp(appId: AppId): KeyId {
  const keyId = toBytes(toNumber(appId));
  keyId[0] = APP;
  return keyId;
}

/** A user's id: their key id and its mark, in 28 letters and digits. `appId`: the app whose guest they are; null: of none. */
export function userIdOf(seed: Seed, keyId: KeyId, appId: AppId | null): UserId {
  let number = (BigInt(`0x${keyId.toString('hex')}`) << MARK_BITS) | seed.mark(keyId, appId);
  let id = '';
  for (let i = 0; i < USER_ID_LENGTH; i++) {
    id = LETTERS_AND_DIGITS[Number(number % RADIX)] + id;
    number /= RADIX;
  }
  return id as UserId;
}

/**
 * The key id in the id of a user that {@link userIdOf} made for this app. Null: it is another app's, of a user from before there was a seed,
 * or made up.
 */
export function keyIdOfUser(seed: Seed, userId: UserId, appId: AppId | null): KeyId | null {
  const number = toNumber(userId);
  const keyNumber = number >> MARK_BITS;
  if (keyNumber >> BigInt(8 * KEY_ID_BYTES) !== 0n) return null;
  const keyId = toBytes(keyNumber);
  if (keyId[0]! > MOST_OF_USERS) return null;
  return (number & ((1n << MARK_BITS) - 1n)) === seed.mark(keyId, appId) ? keyId : null;
}

function toNumber(id: string): bigint {
  return [...id].reduce((sum, letter) => sum * RADIX + BigInt(LETTERS_AND_DIGITS.indexOf(letter)), 0n);
}

function toBytes(number: bigint): KeyId {
  return Buffer.from(number.toString(16).padStart(2 * KEY_ID_BYTES, '0'), 'hex') as KeyId;
}
