import type { UserId } from '../../../src/base/ids.ts';
import type { Service } from '../../../src/service/service.ts';
import { changeUsers } from '../../rows/users.ts';

/**
 * Makes a guest a full user who keeps the guest's tokens and may approve with them, without a time of conversion. It is
 * for tests of who gets rewards.
 */
export async function makeFull({ db }: Pick<Service, 'db'>, userId: UserId): Promise<void> {
  const email = `${userId.toLowerCase()}@example.test`;
  await changeUsers(db, { id: userId }, { kind: 'full', email, emailVerified: true });
}
