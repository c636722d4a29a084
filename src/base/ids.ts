import { hash, randomInt, randomUUIDv7 } from 'node:crypto';

export const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * UUIDs (RFC 9562). Version 7: of what is made without a key. They are ordered by time, so that indexes grow at their end. Version 8, made by
 * {@link namedId}: of what follows from a key, or from another id. Their time is only about right, so lists go by `created_at`.
 */
export type RequestId = string & { readonly __kind: 'request' };
export type TransferId = string & { readonly __kind: 'transfer' };
export type RewardId = string & { readonly __kind: 'reward' };
export type EventId = string & { readonly __kind: 'event' };
export type EndpointId = string & { readonly __kind: 'endpoint' };
/** Of one HTTP request. Callers of the API get it as `Request-Id`. */
export type CallId = string & { readonly __kind: 'call' };
/** 28 letters and digits. */
export type UserId = string & { readonly __kind: 'user' };
/** 20 letters and digits; also the app's OAuth client id. */
export type AppId = string & { readonly __kind: 'app' };

export const USER_ID_PATTERN = '^[A-Za-z0-9]{28}$';
export const APP_ID_PATTERN = '^[A-Za-z0-9]{20}$';
export const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const UUID = new RegExp(UUID_PATTERN);
const USER_ID = new RegExp(USER_ID_PATTERN);
const APP_ID = new RegExp(APP_ID_PATTERN);

// What a text from outside names: a path, a query, a form, a command line. Null: it can be no such id. UUIDs are in lower case from here on.

export function uuidFrom(text: string): string | null {
  return UUID.test(text) ? text.toLowerCase() : null;
}

export const requestIdFrom = (text: string) => uuidFrom(text) as RequestId | null;
export const transferIdFrom = (text: string) => uuidFrom(text) as TransferId | null;
export const eventIdFrom = (text: string) => uuidFrom(text) as EventId | null;
export const endpointIdFrom = (text: string) => uuidFrom(text) as EndpointId | null;
export const callIdFrom = (text: string) => uuidFrom(text) as CallId | null;
export const userIdFrom = (text: string) => (USER_ID.test(text) ? (text as UserId) : null);
export const appIdFrom = (text: string) => (APP_ID.test(text) ? (text as AppId) : null);
/** Whether a text has the form of a user's or an app's id. */
export const isOwnerId = (text: string): boolean => USER_ID.test(text) || APP_ID.test(text);

export const newRequestId = () => randomUUIDv7() as RequestId;
export const newTransferId = () => randomUUIDv7() as TransferId;
export const newRewardId = () => randomUUIDv7() as RewardId;
export const newEndpointId = () => randomUUIDv7() as EndpointId;
export const newCallId = () => randomUUIDv7() as CallId;
export const newUserId = () => randomLettersAndDigits(28) as UserId;
export const newAppId = () => randomLettersAndDigits(20) as AppId;

let lastEventId = '';
/** A clock that is put back by more was wrong before: events would keep its time as long as this process lives. */
const MOST_AHEAD_MS = 60_000;
const isPutBack = (id: string) => madeAt(lastEventId).getTime() - madeAt(id).getTime() > MOST_AHEAD_MS;

/**
 * Higher than every earlier one of this process, also in one millisecond (RFC 9562, section 6.2): events of one position are read by their ids.
 */
export function newEventId(): EventId {
  const id = randomUUIDv7();
  lastEventId = id > lastEventId || isPutBack(id) ? id : idAfter(lastEventId);
  return lastEventId as EventId;
}

/** A somewhat higher UUID: its last 60 bits count on by a random step. */
export function idAfter(id: string): string {
  const digits = BigInt(`0x${id.slice(20).replace('-', '')}`) + BigInt(1 + randomInt(2 ** 32));
  const counted = digits.toString(16).padStart(15, '0').slice(-15);
  return `${id.slice(0, 20)}${counted.slice(0, 3)}-${counted.slice(3)}`;
}

/** The bounds of all UUIDs, for reading from one id to another. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';
export const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The lowest version 7 UUID of that millisecond. Every earlier id is lower. */
export function lowestIdAt(date: Date): string {
  const hex = Math.max(date.getTime(), 0).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Whether a UUID begins with the time when it was made (RFC 9562, section 5.7). */
export function isTimed(id: string): boolean {
  return id[14] === '7';
}

/** When a version 7 UUID was made, to the millisecond. Any time for another UUID. */
export function madeAt(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** A version 7 UUID that is always the same for these texts. Its time is that of `base`, another version 7 UUID. */
export function derivedId(base: string, ...texts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify([base, ...texts]));
  const variant = ((Number.parseInt(digest[16] ?? '0', 16) & 3) | 8).toString(16);
  return `${base.slice(0, 13)}-7${digest.slice(0, 3)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

/**
 * A version 8 UUID that begins with a time, to the millisecond, as those of version 7 do. `name`: ten bytes of what it is named by, of which
 * it keeps 74 bits.
 */
export function namedId(at: Date, name: Uint8Array): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(at.getTime(), 0), 0, 6);
  bytes.set(name.subarray(0, 10), 6);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidOfBytes(bytes);
}

/** The transfers of a request: what its payer pays, which sorts first, and what a reward pays. The same for ever. */
export function transferIdOf(request: RequestId, part: 'payment' | 'reward' = 'payment'): TransferId {
  const name = nameFrom('transfer', request);
  name[9] = (name[9]! & 0xfe) | (part === 'reward' ? 1 : 0);
  return namedId(madeAt(request), name) as TransferId;
}

/** The bytes that texts give to a {@link namedId}. */
export function nameFrom(...texts: readonly string[]): Buffer {
  return hash('sha256', JSON.stringify(texts), 'buffer').subarray(0, 10);
}

export function bytesOfUuid(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

export function uuidOfBytes(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns `length` random characters, with about 5.95 bits of randomness each. */
export function randomLettersAndDigits(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)];
  return text;
}
