import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { UserId } from '../../../src/base/ids.ts';
import { offerPasskeySignIn } from '../../../src/features/credentials/passkeys.ts';
import { insertPasskey } from '../../../src/identity/passkeys.ts';
import type { Service } from '../../../src/service/service.ts';
import type { TestService } from './service.ts';

/** A passkey whose owner always unlocks it. */
export type SoftPasskey = {
  readonly id: string;
  /** What the browser would send for a challenge that is fetched now. `from`: another process. */
  answer(from?: Service): Promise<object>;
};

/** Stores a passkey whose key this process has, for tests that need no browser. */
export async function softPasskey(
  { service }: Pick<TestService, 'service'>,
  userId: UserId,
  name = 'Phone',
): Promise<SoftPasskey> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const coordinate = (text: string | undefined) => Buffer.from(text!, 'base64url');
  // A COSE key (RFC 9053): EC2, ES256, P-256, and both coordinates.
  const head = Buffer.from('a5010203262001', 'hex');
  const parts = [head, Buffer.from('215820', 'hex'), coordinate(x), Buffer.from('225820', 'hex'), coordinate(y)];
  const id = randomBytes(16).toString('base64url');
  const passkey = { id, userId, name, publicKey: new Uint8Array(Buffer.concat(parts)), signCount: 0, transports: [] };
  await service.db.transaction((tx) => insertPasskey(tx, passkey));
  return {
    id,
    async answer(from = service) {
      const { challenge } = await offerPasskeySignIn(from, { userId, client: userId });
      const client = { type: 'webauthn.get', challenge, origin: from.publicUrl, crossOrigin: false };
      const clientDataJSON = Buffer.from(JSON.stringify(client));
      const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
      // The user is present and verified. It does not count its uses.
      const data = Buffer.concat([sha256(new URL(from.publicUrl).hostname), Buffer.from([5, 0, 0, 0, 0])]);
      const response = {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey).toString('base64url'),
      };
      return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
    },
  };
}
