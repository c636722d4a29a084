import { newPasskeyDevice, type PasskeyDevice } from '../../../local/emulator/passkey-device.ts';
import type { UserId } from '../../../src/base/ids.ts';
import { offerPasskeyUse } from '../../../src/features/credentials/passkey-use.ts';
import { insertPasskey, type PasskeyUse } from '../../../src/identity/passkeys.ts';
import type { Service } from '../../../src/service/service.ts';
import { agePasskeys } from '../../rows/passkeys.ts';
import type { TestService } from './service.ts';

/** The passkey of a device that is somebody's. */
export type SoftPasskey = PasskeyDevice & {
  /** What the browser would send for a challenge that is fetched now. `from`: another process. */
  answer(use: PasskeyUse, from?: Service): Promise<object>;
};

/** Stores a passkey whose key this process has, for tests that need no browser. Its owner has had it for days. */
export async function softPasskey(
  { service }: Pick<TestService, 'service'>,
  userId: UserId,
  name = 'Phone',
): Promise<SoftPasskey> {
  const device = newPasskeyDevice();
  const { id, publicKey } = device;
  await service.db.transaction((tx) =>
    insertPasskey(tx, { ...{ id, userId, name, publicKey }, signCount: 0, transports: [] }),
  );
  await agePasskeys(service.db, userId);
  return {
    ...device,
    async answer(use, from = service) {
      const { challenge } = await offerPasskeyUse(from, use, userId);
      return device.sign(challenge, from.publicUrl);
    },
  };
}
