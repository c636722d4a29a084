import { toChecksum } from '../../base/address.ts';
import type { UserId } from '../../base/ids.ts';
import { refusedEntry } from '../../base/problems.ts';
import { listFormerEmails } from '../../identity/former-emails.ts';
import { listPasskeys } from '../../identity/passkeys.ts';
import { seenDaysOf } from '../../identity/seen-players.ts';
import { DISPLAY_NAME_FAULT, displayNameFrom, renameUser, type User } from '../../identity/users.ts';
import { listWithdrawalAddresses } from '../../identity/withdrawal-addresses.ts';
import { available } from '../../ledger/accounts.ts';
import { listSessionsOf } from '../../oauth/sessions.ts';
import type { Service } from '../../service/service.ts';
import { listAccess } from '../../views/accounts/list-access.ts';
import { prepareClosure } from './close-account.ts';

/** One fact we hold about a person. */
export type Fact = { readonly what: string; readonly value: string | bigint | boolean | Date };

/** Everything we know about a person besides their activity, without secrets. */
export async function readProfile(service: Pick<Service, 'db' | 'settings'>, user: User): Promise<Fact[]> {
  const [{ wallet, apps }, accesses, passkeys, sessions, addresses, formerEmails, seen] = await Promise.all([
    prepareClosure(service, user),
    listAccess(service, user),
    listPasskeys(service.db, user.id),
    listSessionsOf(service.db, user.id, service.settings.sessionIdleMinutes),
    listWithdrawalAddresses(service.db, user.id),
    listFormerEmails(service.db, user),
    seenDaysOf(service.db, [user.id]),
  ]);
  const { account, reward } = wallet;
  return [
    { what: 'user id', value: user.id },
    { what: 'display name', value: user.displayName },
    { what: 'e-mail address', value: user.email },
    { what: 'e-mail address verified', value: user.emailVerified },
    ...formerEmails.map((email) => ({ what: 'former e-mail address', value: email })),
    ...(user.locale === null ? [] : [{ what: 'language', value: user.locale }]),
    { what: 'here since', value: user.createdAt },
    ...[...seen.values()].map((day) => ({ what: 'last seen on', value: day })),
    { what: 'account on the chain', value: toChecksum(account.address) },
    { what: 'quarters to spend', value: available(account) },
    { what: 'quarters on hold', value: account.held },
    { what: 'reward in quarters', value: reward },
    ...(account.frozenAt ? [{ what: 'account frozen since', value: account.frozenAt }] : []),
    ...sessions.flatMap(({ signedInAt, usedAt, browser }) => [
      { what: 'signed in since', value: signedInAt },
      { what: 'session last used', value: usedAt },
      ...(browser === null ? [] : [{ what: 'signed in with', value: browser }]),
    ]),
    ...passkeys.flatMap(({ name, createdAt, lastUsedAt }) => [
      { what: 'passkey', value: name },
      { what: 'passkey created', value: createdAt },
      ...(lastUsedAt ? [{ what: 'passkey last used', value: lastUsedAt }] : []),
    ]),
    ...addresses.flatMap(({ address, addedAt }) => [
      { what: 'withdrawal address', value: toChecksum(address) },
      { what: 'withdrawal address added', value: addedAt },
    ]),
    ...accesses.flatMap(({ app, consent, mandate }) => [
      { what: 'app', value: `${app.name} (${app.id})` },
      ...(consent
        ? [
            { what: 'app has access since', value: consent.grantedAt },
            { what: 'app has access to', value: consent.scopes.join(' ') },
          ]
        : []),
      ...(mandate
        ? [
            { what: 'app’s spending limit per payment', value: mandate.maxPerTransfer },
            { what: 'app’s spending limit per day', value: mandate.maxPerDay },
            { what: 'app’s spending limit ends', value: mandate.expiresAt },
          ]
        : []),
    ]),
    ...apps.map(({ name, id }) => ({ what: 'own app', value: `${name} (${id})` })),
  ];
}

/** Changes the player's name that games see. Throws `invalid-input`. */
export async function changeName({ db }: Pick<Service, 'db'>, userId: UserId, text: string): Promise<void> {
  const name = displayNameFrom(text);
  if (!name) throw refusedEntry(['/name', DISPLAY_NAME_FAULT]);
  await renameUser(db, userId, name);
}
