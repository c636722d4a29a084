import { hash } from 'node:crypto';
import { randomLettersAndDigits } from './ids.ts';

/** Prefixes that tell people, secret scanners and us what a secret is for. `access token` is a guest's. */
const PREFIX = {
  'server key': 'qk_',
  'client secret': 'qs_',
  'access token': 'qa_',
  'OAuth access token': 'qo_',
  'refresh token': 'qr_',
  'sign-in link': 'ql_',
  'stop link': 'qw_',
} as const;

export type SecretKind = keyof typeof PREFIX;

/** Creates a bearer secret with 256 bits of randomness. */
export function newSecret(kind: SecretKind): string {
  return PREFIX[kind] + randomLettersAndDigits(43);
}

/** Derives a secret from 32 bytes, such as a MAC. The same bytes give the same secret. */
export function derivedSecret(kind: SecretKind, bytes: Buffer): string {
  return PREFIX[kind] + bytes.toString('base64url');
}

/** The kind of secret that the text's prefix names. The secret need not exist. */
export function kindOfSecret(text: string): SecretKind | undefined {
  return (Object.keys(PREFIX) as SecretKind[]).find((kind) => isSecret(kind, text));
}

export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(PREFIX[kind]);
}

/**
 * Hashes a secret for storage and look-up.
 *
 * A plain SHA-256 suffices for secrets with 256 bits of randomness, because no dictionary covers them. Looking a secret up by
 * its hash leaks no timing: the database compares hashes, which an attacker cannot steer.
 */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The first 8 hex digits of the hash of an `Idempotency-Key`: enough to recognise it, but not to read a stored response with it. */
export function shortHash(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}
