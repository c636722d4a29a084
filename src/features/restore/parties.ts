import type { Address } from '../../base/address.ts';
import type { AppId, RequestId, UserId } from '../../base/ids.ts';
import { isKeyIdOfGuest, userIdOf } from '../../custody/key-ids.ts';
import { readWhat } from '../../custody/payment-nonces.ts';
import type { KeyId } from '../../custody/seed.ts';
import { type Account, byAddressNow, findAccounts } from '../../ledger/accounts.ts';
import type { Service } from '../../service/service.ts';
import type { UnnamedPayment } from '../../settlement/tables/recovered.ts';
import { type LostGuest, reviveGuests } from './revive-guest.ts';

/** Between whom a recovered payment is. `isPayout`: the app has paid. */
export type PaymentParties = {
  readonly appId: AppId;
  readonly userId: UserId;
  readonly userAddress: Address;
  readonly isPayout: boolean;
};

/**
 * Between whom these payments are, by their requests, as far as both are known. The keys of guests say whose they are, so guests whom a restored
 * database does not have exist again with this.
 */
export async function partiesOf(
  service: Service,
  payments: readonly UnnamedPayment[],
): Promise<ReadonlyMap<RequestId, PaymentParties>> {
  const addresses = [...new Set(payments.flatMap(({ one, other }) => [one, other]))];
  let accounts = await ownersOf(service, addresses);
  const lost = payments.flatMap((payment) => lostGuestOf(service, payment, accounts) ?? []);
  if (lost.length > 0) {
    const guests = new Map(lost.map((guest) => [guest.userId, guest]));
    await service.db.transaction((tx) => reviveGuests(tx, service, [...guests.values()]));
    accounts = await ownersOf(service, addresses);
  }
  return new Map(
    payments.flatMap((payment) => {
      const parties = between(payment, accounts);
      return parties ? [[readWhat(service.vault.seed, payment.what).id as RequestId, parties] as const] : [];
    }),
  );
}

/** The players for whom rewards have paid, by their addresses, as far as they are known. */
export async function playersOf(
  service: Service,
  rewards: readonly UnnamedPayment[],
): Promise<ReadonlyMap<Address, UserId>> {
  if (rewards.length === 0) return new Map();
  const accounts = await ownersOf(service, [...new Set(rewards.map(({ one }) => one))]);
  return new Map([...accounts].flatMap(([address, { userId }]) => (userId ? [[address, userId] as const] : [])));
}

type Accounts = ReadonlyMap<Address, Account>;

/** The accounts of these addresses as they are now: an address may have been left in a sweep, and an account merged into its player's. */
async function ownersOf({ db }: Service, addresses: readonly Address[]): Promise<Accounts> {
  const accounts = await byAddressNow(db, await findAccounts(db, { addresses }));
  const merged = [...accounts.values()].flatMap(({ userId, mergedInto }) => (userId ? [] : (mergedInto ?? [])));
  if (merged.length === 0) return accounts;
  const targets = await byAddressNow(db, await findAccounts(db, { addresses: merged }));
  const ownerOf = (account: Account) =>
    account.userId || !account.mergedInto ? account : targets.get(account.mergedInto);
  return new Map([...accounts].map(([address, account]) => [address, ownerOf(account) ?? account]));
}

/** A payment says its two accounts, and not which of them is the player's. */
const bothWays = ({ one, other }: UnnamedPayment) =>
  [
    [one, other],
    [other, one],
  ] as const;

function between(payment: UnnamedPayment, accounts: Accounts): PaymentParties | null {
  for (const [ofUser, ofApp] of bothWays(payment)) {
    const [userId, appId] = [accounts.get(ofUser)?.userId, accounts.get(ofApp)?.appId];
    if (userId && appId) return { appId, userId, userAddress: ofUser, isPayout: payment.from === ofApp };
  }
  return null;
}

/** The guest whose account nobody owns yet, if its key says that it is one of the app's. */
function lostGuestOf({ vault }: Service, payment: UnnamedPayment, accounts: Accounts): LostGuest | null {
  for (const [ofGuest, ofApp] of bothWays(payment)) {
    const [guest, appId] = [accounts.get(ofGuest), accounts.get(ofApp)?.appId];
    if (guest?.kind !== 'recovered' || guest.mergedInto || !guest.keyId || !appId) continue;
    const keyId = Buffer.from(guest.keyId) as unknown as KeyId;
    if (isKeyIdOfGuest(vault.seed, keyId, appId)) return { userId: userIdOf(vault.seed, keyId, appId), appId };
  }
  return null;
}
