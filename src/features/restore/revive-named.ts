import type { AppId, UserId } from '../../base/ids.ts';
import { type Account, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import type { Service } from '../../service/service.ts';
import { nameWhatBelongsTo } from './name-payments.ts';
import { isGuestOf, reviveGuest } from './revive-guest.ts';

/**
 * The account of a guest whom their app names and a restored database does not have: they exist again, with what the chain shows of them. Null
 * if the id does not say that they are a guest of this app.
 */
export async function reviveNamed(service: Service, userId: UserId, appId: AppId): Promise<Account | null> {
  if (!isGuestOf(service, userId, appId)) return null;
  await service.db.transaction((tx) => reviveGuest(tx, service, userId, appId));
  const account = await lookUpAccountOfUser(service.db, userId);
  if (account) await nameWhatBelongsTo(service, account.address);
  return account;
}
