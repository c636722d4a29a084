import type { Address } from '../../base/address.ts';
import { APP_ID_PATTERN, type AppId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { hashSecret, isSecret } from '../../base/secrets.ts';
import { type App, findApp } from '../../identity/apps.ts';
import { findGuestToken, useGuestToken } from '../../identity/guest-tokens.ts';
import { findUser, type User } from '../../identity/users.ts';
import { available, findAccountOfUser } from '../../ledger/accounts.ts';
import { findAccessToken } from '../../oauth/tokens.ts';
import type { Service } from '../../settlement/service.ts';

/** A guest who may become a full user now, and what they keep. */
export type Conversion = {
  readonly kind: 'open';
  readonly app: App;
  readonly guest: User;
  readonly address: Address;
  readonly balance: Quarters;
};

/** Why a guest cannot become a full user with this token; the token's holder may know. */
export type ConversionFault =
  | 'unknown-app'
  | 'dead-token'
  /** The token of another app's guest. */
  | 'foreign-token'
  /** The API's `firebase_token`, which opens the approval page only. */
  | 'page-token'
  | 'already-full';

/** `app`: the app that was named, if it exists. */
export type RefusedConversion = { readonly kind: 'refused'; readonly fault: ConversionFault; readonly app: App | null };

/** Checks the guest access token that an app has put into the page's address. */
export async function openConversion(
  service: Service,
  clientId: string,
  token: string,
): Promise<Conversion | RefusedConversion> {
  const found = await findConversion(service, clientId, hashSecret(token));
  // A game that still sends its player here after the conversion uses the token it got then.
  if (found.kind === 'refused' && found.fault === 'dead-token' && isSecret('OAuth access token', token)) {
    const issued = await findAccessToken(service.db, token);
    if (issued?.appId === clientId) return { ...found, fault: 'already-full' };
  }
  return found;
}

/** The same check later, when the page carries only the token's hash. */
export async function findConversion(
  { db, settings }: Service,
  clientId: string,
  tokenHash: Uint8Array,
): Promise<Conversion | RefusedConversion> {
  const app = new RegExp(APP_ID_PATTERN).test(clientId) ? await findApp(db, clientId as AppId) : null;
  const refused = (fault: ConversionFault): RefusedConversion => ({ kind: 'refused', fault, app });
  if (!app) return refused('unknown-app');
  const token = await findGuestToken(db, tokenHash, settings.guestTokenDays);
  if (!token) return refused('dead-token');
  if (token.appId !== app.id) return refused('foreign-token');
  if (token.purpose === 'page') return refused('page-token');
  const [guest, account] = await Promise.all([findUser(db, token.userId), findAccountOfUser(db, token.userId)]);
  if (guest?.kind === 'full') return refused('already-full');
  if (guest?.kind !== 'guest' || !account || !token.alive) return refused('dead-token');
  await useGuestToken(db, tokenHash, 'access', settings.guestTokenDays);
  return { kind: 'open', app, guest, address: account.address, balance: available(account) };
}
