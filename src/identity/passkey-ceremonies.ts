import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { UserId } from '../base/ids.ts';
import { CHALLENGE_MINUTES, type NewPasskey, type Passkey } from './passkeys.ts';

/** Ed25519, ECDSA with P-256, RSA with SHA-256 (COSE). Every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257];

const TIMEOUT = CHALLENGE_MINUTES * 60_000;

/** The browser's options for a new passkey: discoverable and with user verification (WebAuthn, section 5.4). */
export function creationOptions(
  publicUrl: string,
  challenge: string,
  user: { readonly id: UserId; readonly email: string; readonly displayName: string },
  existing: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: 'Quarters',
    rpID: new URL(publicUrl).hostname,
    userName: user.email,
    userID: new Uint8Array(Buffer.from(user.id)),
    userDisplayName: user.displayName,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: TIMEOUT,
    attestationType: 'none',
    excludeCredentials: existing.map(descriptor),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** The browser's options for the use of a passkey. If `allowed` is empty, the player chooses any. */
export function requestOptions(
  publicUrl: string,
  challenge: string,
  allowed: readonly Passkey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: new URL(publicUrl).hostname,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: TIMEOUT,
    userVerification: 'required',
    allowCredentials: allowed.map(descriptor),
  });
}

function descriptor({ id, transports }: Passkey) {
  return { id, transports: [...transports] };
}

/** The challenge that an answer names; null if it is malformed. The signature is verified later. */
export function challengeOf(answer: object): string | null {
  try {
    const { clientDataJSON } = (answer as RegistrationResponseJSON).response;
    const { challenge } = decodeClientDataJSON(clientDataJSON);
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

/** The new key, if the browser's answer to `challenge` is valid; otherwise null (WebAuthn, section 7.1). */
export async function verifyCreation(publicUrl: string, answer: object, challenge: string): Promise<NewPasskey | null> {
  const response = answer as RegistrationResponseJSON;
  return orNull(async () => {
    if (!isPlain(response)) return null;
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: publicUrl,
      expectedRPID: new URL(publicUrl).hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified.verified) return null;
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    return { id, publicKey, signCount: counter, transports: transports.filter(isTransport).slice(0, 8) };
  });
}

/** We request no attestation. With certificates the library would fetch the addresses that they name. */
function isPlain({ response }: RegistrationResponseJSON): boolean {
  const statement = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  return ['none', 'packed'].includes(statement.get('fmt')) && !statement.get('attStmt').get('x5c');
}

/** The key's counter after this use, if the answer to `challenge` is valid; otherwise null (WebAuthn, section 7.2). */
export async function verifyUse(
  publicUrl: string,
  answer: object,
  passkey: Passkey,
  challenge: string,
): Promise<number | null> {
  const response = answer as AuthenticationResponseJSON;
  return orNull(async () => {
    const { userHandle } = response.response;
    // The key's owner, as the authenticator stored it (step 6). Older ones leave it out if the request names the key.
    if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.userId) return null;
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: publicUrl,
      expectedRPID: new URL(publicUrl).hostname,
      requireUserVerification: true,
      credential: { id: passkey.id, publicKey: passkey.publicKey, counter: passkey.signCount },
    });
    return verified ? authenticationInfo.newCounter : null;
  });
}

/** The library throws many errors for invalid answers. Nothing else in `verify` can fail. */
async function orNull<T>(verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

function isTransport(transport: unknown): transport is string {
  return typeof transport === 'string' && /^[a-z-]{1,20}$/.test(transport);
}
