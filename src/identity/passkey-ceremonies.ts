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
import { CHALLENGE_MINUTES } from './passkey-challenges.ts';
import type { Passkey } from './passkeys.ts';

/** Ed25519, ECDSA with P-256, RSA with SHA-256 (COSE): what every authenticator has one of. */
const ALGORITHMS = [-8, -7, -257];

const TIMEOUT = CHALLENGE_MINUTES * 60_000;

/** What a browser is asked to make a passkey with: discoverable, and only for who proves who they are (WebAuthn, section 5.4). */
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

/** What a browser is asked to sign with a passkey; `allowed` empty: whichever the player chooses. */
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

/** The challenge an answer says it is for; null where it is no such answer. What is signed is looked at later. */
export function challengeOf(answer: object): string | null {
  try {
    const { clientDataJSON } = (answer as RegistrationResponseJSON).response;
    const { challenge } = decodeClientDataJSON(clientDataJSON);
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

/** The new key, where the browser's answer to `challenge` holds; null where anything is wrong with it (WebAuthn, section 7.1). */
export async function verifyCreation(
  publicUrl: string,
  answer: object,
  challenge: string,
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'signCount' | 'transports'> | null> {
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

/** We ask for no attestation. The kinds with certificates make the library fetch the addresses that these name. */
function isPlain({ response }: RegistrationResponseJSON): boolean {
  const statement = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  return ['none', 'packed'].includes(statement.get('fmt')) && !statement.get('attStmt').get('x5c');
}

/** The key's counter after this use; null where anything is wrong with the answer to `challenge` (WebAuthn, section 7.2). */
export async function verifyUse(
  publicUrl: string,
  answer: object,
  passkey: Passkey,
  challenge: string,
): Promise<number | null> {
  const response = answer as AuthenticationResponseJSON;
  return orNull(async () => {
    const { userHandle } = response.response;
    // Whom the authenticator says the key is of (step 6); older ones say nothing where the key was named to them.
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

/** The library throws, in many ways, what is wrong with an answer; nothing else can fail in there. */
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
