import type { UserId } from '../../src/base/ids.ts';
import type { Service } from '../../src/usecases/service.ts';
import { changeUsers } from '../rows/users.ts';

/**
 * Makes a full user of a guest, who keeps the guest's tokens, and may approve with them: it does not say when they became one.
 * What matters here is whom rewards are for.
 */
export async function makeFull({ db }: Pick<Service, 'db'>, userId: UserId): Promise<void> {
  const email = `${userId.toLowerCase()}@example.test`;
  await changeUsers(db, { id: userId }, { kind: 'full', email, emailVerified: true });
}
