import { createHash } from 'node:crypto';
import { randomLettersAndDigits } from './ids.ts';

/** What a secret is for, told by its prefix to people, secret scanners and us. Guests' access tokens come with the guest. */
const PREFIX = {
  'server key': 'qk_',
  'client secret': 'qs_',
  'access token': 'qa_',
  'OAuth access token': 'qo_',
  'refresh token': 'qr_',
} as const;

export type SecretKind = keyof typeof PREFIX;

/** A new bearer secret with 256 bits of randomness. */
export function newSecret(kind: SecretKind): string {
  return PREFIX[kind] + randomLettersAndDigits(43);
}

/** A secret that comes out the same again from the same 32 bytes, such as a MAC. */
export function derivedSecret(kind: SecretKind, bytes: Buffer): string {
  return PREFIX[kind] + bytes.toString('base64url');
}

/** The kind of secret that a text's prefix names; whether it was ever given out is not asked. */
export function kindOfSecret(text: string): SecretKind | undefined {
  return (Object.keys(PREFIX) as SecretKind[]).find((kind) => isSecret(kind, text));
}

export function isSecret(kind: SecretKind, text: string): boolean {
  return text.startsWith(PREFIX[kind]);
}

/**
 * What is stored of a secret, and how it is looked up.
 *
 * A plain SHA-256 is right for secrets with 256 bits of randomness (no dictionary to try), and looking a secret up by its
 * hash leaves nothing to measure: the database compares hashes an attacker can not steer.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
