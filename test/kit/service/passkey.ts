import { randomUUID } from 'node:crypto';
import type { UserId } from '../../../src/base/ids.ts';
import { insertPasskey } from '../../../src/identity/passkeys.ts';
import type { TestService } from './service.ts';

/** Stores a passkey that no device has; returns its id. `stopToken`: what a mailed link holds. */
export async function storePasskey(
  { service }: Pick<TestService, 'service'>,
  userId: UserId,
  name: string,
  stopToken?: string,
): Promise<string> {
  const passkey = { id: randomUUID(), userId, name, publicKey: new Uint8Array(1), signCount: 0, transports: [] };
  await service.db.transaction((tx) =>
    insertPasskey(tx, { ...passkey, ...(stopToken !== undefined && { stopToken }) }),
  );
  return passkey.id;
}
