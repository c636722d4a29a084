import type { UserId } from '../../src/base/ids.ts';
import type { Service } from '../../src/usecases/service.ts';

/**
 * Makes a full user of a guest, who keeps the guest's tokens, and may approve with them: it does not say when they became one.
 * What matters here is whom rewards are for.
 */
export async function makeFull({ db }: Pick<Service, 'db'>, userId: UserId): Promise<void> {
  const email = `${userId.toLowerCase()}@example.test`;
  await db.query(`UPDATE users SET kind = 'full', email = $2, email_verified = true WHERE id = $1`, [userId, email]);
}
