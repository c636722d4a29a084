import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A device that holds one passkey, and whose owner always unlocks it. */
export type PasskeyDevice = {
  readonly id: string;
  /** A COSE key (RFC 9053): EC2, ES256, P-256, and both coordinates. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** What the browser would send for a challenge that asks for the passkey; `from`: the origin. */
  sign(challenge: string, from: string): object;
  /** The same for one that asks for a new passkey (WebAuthn, section 6.5, with the attestation "none"). */
  make(challenge: string, from: string): object;
};

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
/** The user is present and verified, and a key is attached (WebAuthn, section 6.1). It does not count its uses. */
const [USED, ATTACHED] = [Buffer.from([5, 0, 0, 0, 0]), Buffer.from([0x45, 0, 0, 0, 0])];
const NO_MODEL = Buffer.alloc(16);

export function newPasskeyDevice(): PasskeyDevice {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = keys.publicKey.export({ format: 'jwk' });
  const coordinate = (text: string | undefined) => Buffer.from(text!, 'base64url');
  const head = Buffer.from('a5010203262001', 'hex');
  const parts = [head, Buffer.from('215820', 'hex'), coordinate(x), Buffer.from('225820', 'hex'), coordinate(y)];
  const publicKey = new Uint8Array(Buffer.concat(parts));
  const rawId = randomBytes(16);
  const id = rawId.toString('base64url');
  const answer = (response: Readonly<Record<string, Buffer>>) => {
    const encoded = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: Object.fromEntries(encoded) };
  };
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  return {
    ...{ id, publicKey },
    sign(challenge, from) {
      const clientDataJSON = clientData('webauthn.get', challenge, from);
      const authenticatorData = Buffer.concat([sha256(new URL(from).hostname), USED]);
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
      return answer({ clientDataJSON, authenticatorData, signature: sign('sha256', signed, keys.privateKey) });
    },
    make(challenge, from) {
      const length = Buffer.from([0, rawId.length]);
      const data = Buffer.concat([sha256(new URL(from).hostname), ATTACHED, NO_MODEL, length, rawId, publicKey]);
      // CBOR (RFC 8949): {fmt: "none", attStmt: {}, authData: bytes}.
      const [statement, name] = ['a363666d74646e6f6e656761747453746d74a0', '686175746844617461'];
      const attestationObject = Buffer.concat([
        Buffer.from(statement + name, 'hex'),
        Buffer.from([0x58, data.length]),
        data,
      ]);
      return answer({ clientDataJSON: clientData('webauthn.create', challenge, from), attestationObject });
    },
  };
}
