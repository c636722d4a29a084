import type { Address } from '../../base/address.ts';
import { timestamp } from '../../base/dates.ts';
import { type AppId, newEventId, type UserId } from '../../base/ids.ts';
import type { Quarters } from '../../base/quarters.ts';
import { hashSecret, isSecret } from '../../base/secrets.ts';
import type { Tx } from '../../db/database.ts';
import { type App, holdLivingApps, lookUpNamedLivingApp } from '../../identity/apps.ts';
import { SCOPES } from '../../identity/callers.ts';
import { grantConsent } from '../../identity/consents.ts';
import { findGuestToken, revokeGuestTokens, useGuestToken } from '../../identity/guest-tokens.ts';
import { revokeMandatesOf } from '../../identity/mandates.ts';
import { EmailTaken, lookUpUser, makeGuestFull, type User } from '../../identity/users.ts';
import { available, lookUpAccountOfUser } from '../../ledger/accounts.ts';
import { findRecord } from '../../oauth/records.ts';
import type { AuthMethod } from '../../oauth/sessions.ts';
import { findAccessToken, insertCode } from '../../oauth/tokens.ts';
import { recordChange } from '../../operator-log/record.ts';
import type { Service } from '../../service/service.ts';
import { refuseInTheDark } from '../../settlement/may-act.ts';
import { insertEvents } from '../../webhooks/events.ts';
import { checkCredential, type FirstCredential } from '../credentials/first-credential.ts';
import { noteSignIn, openSession } from '../sessions/sign-in.ts';

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
  | 'already-full'
  /** The guest is closed, and its player has another account ({@link mergeGuest}). */
  | 'merged'
  | 'app-suspended';

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
  const app = await lookUpNamedLivingApp(db, clientId);
  const refused = (fault: ConversionFault): RefusedConversion => ({ kind: 'refused', fault, app });
  if (!app) return refused('unknown-app');
  const token = await findGuestToken(db, tokenHash, settings.guestTokenDays);
  if (!token) return refused('dead-token');
  if (token.appId !== app.id) return refused('foreign-token');
  if (token.purpose === 'page') return refused('page-token');
  const [guest, account] = await Promise.all([lookUpUser(db, token.userId), lookUpAccountOfUser(db, token.userId)]);
  if (guest?.kind === 'full') return refused('already-full');
  if (account?.mergedInto) return refused('merged');
  if (guest?.kind !== 'guest' || !account || !token.alive) return refused('dead-token');
  if (app.suspendedAt) return refused('app-suspended');
  await useGuestToken(db, tokenHash, 'access', settings.guestTokenDays);
  return { kind: 'open', app, guest, address: account.address, balance: available(account) };
}

export type GuestToConvert = FirstCredential & {
  readonly appId: AppId;
  readonly userId: UserId;
  /** SHA-256 of the guest access token that opened the page; the token must still be valid. */
  readonly tokenHash: Uint8Array;
  /** Proved by a code. */
  readonly email: string;
  readonly displayName: string;
  /** Of the page, kept with the account (BCP 47). */
  readonly locale?: string;
  /** A secret name of this conversion: the same name always gives the same code. */
  readonly flowId: string;
  /** Null: the page itself delivers the code. */
  readonly redirectUri: string | null;
  /** S256 (RFC 7636); without it the code is redeemed with the client secret only. */
  readonly codeChallenge: string | undefined;
  /** Signed in on our pages too, at top level only. `former`: what the session cookie held before; `browser`: in words. */
  readonly signIn: { readonly former: string | undefined; readonly browser?: string | null } | null;
  /** The address of the visitor. */
  readonly client: string;
};

/** `code`: the authorization code for the app. `session`: the value of a new session's cookie. */
export type Converted = { readonly kind: 'converted'; readonly code: string; readonly session: string | null };

/** `gone`: the guest or its token is no longer valid, or the app is suspended, perhaps since a moment ago. */
export type ConversionResult = Converted | { readonly kind: 'email-taken' | 'gone' };

/**
 * Makes a guest a full user. Its id, account, balance, history and open requests stay. Its tokens and mandates end, and
 * the app gets a code instead, all in one transaction. Of two concurrent conversions exactly one happens.
 *
 * Throws `invalid-input`, as {@link checkCredential} does.
 */
export async function convertGuest(service: Service, guest: GuestToConvert): Promise<ConversionResult> {
  refuseInTheDark(service);
  const { db, settings } = service;
  const { userId, appId, email, displayName, locale } = guest;
  const { methods, store } = await checkCredential(service, guest, guest);
  try {
    const result = await db.transaction<ConversionResult>(async (tx) => {
      if ((await holdLivingApps(tx, [appId])).get(appId)?.suspendedAt !== null) return { kind: 'gone' };
      const token = await findGuestToken(tx, guest.tokenHash, settings.guestTokenDays);
      if (token?.userId !== userId || !token.alive) return { kind: 'gone' };
      if (!(await makeGuestFull(tx, { userId, email, displayName, locale }))) return { kind: 'gone' };
      await revokeMandatesOf(tx, userId);
      await store(tx);
      // Without e-mail address and name: the app asks for what the player lets it see.
      const data = { userId, appId, converted: timestamp(new Date()) };
      await insertEvents(tx, [{ id: newEventId(), appId, type: 'guest.converted', sequence: 1, subject: { data } }]);
      await grantConsent(tx, { userId, appId, scopes: SCOPES });
      await revokeGuestTokens(tx, userId);
      const after = { app: appId };
      await recordChange(tx, { action: 'guest-converted', subject: { kind: 'user', id: userId }, after, by: userId });
      const { redirectUri, codeChallenge } = guest;
      const code = await insertCode(tx, {
        code: codesOf(service, guest.flowId)[0]!,
        userId,
        appId,
        scopes: SCOPES.join(' '),
        ...(redirectUri !== null && { redirectUri }),
        ...(codeChallenge !== undefined && { codeChallenge }),
      });
      return { kind: 'converted', code, session: await sessionOf(tx, userId, methods, guest.signIn) };
    });
    if (result.kind === 'converted') {
      service.security.note('guest-converted', { userId, appId });
      if (guest.passkey) service.security.note('passkey-added', { userId });
      if (result.session !== null) noteSignIn(service, userId, methods);
    }
    return result;
  } catch (error) {
    if (error instanceof EmailTaken) return { kind: 'email-taken' };
    throw error;
  }
}

/**
 * The result of a conversion that has just happened, while its code can still be redeemed; else null. For a form sent
 * twice (a double click): the browser shows only the second answer, and the game must not miss its code.
 */
export async function repeatConversion(
  service: Service,
  { flowId, signIn }: Pick<GuestToConvert, 'flowId' | 'signIn'>,
): Promise<Converted | null> {
  const found = await redeemable(service, codesOf(service, flowId));
  if (!found) return null;
  const { code, userId } = found;
  // A mailed code was entered for sure. A password may have been set, or a passkey made.
  const methods = ['otp'] as const;
  const session = await service.db.transaction((tx) => sessionOf(tx, userId, methods, signIn));
  if (session !== null) noteSignIn(service, userId, methods);
  return { kind: 'converted', code, session };
}

/** Whose authorization code one of these is; null if none of them can still be redeemed. */
export async function redeemable(
  { db }: Pick<Service, 'db'>,
  codes: readonly string[],
): Promise<{ readonly code: string; readonly userId: UserId } | null> {
  for (const code of codes) {
    const record = await findRecord(db, 'AuthorizationCode', code);
    if (!record || record.consumedAt || record.expiresAt <= new Date()) continue;
    const userId = record.payload.accountId;
    if (userId !== undefined) return { code, userId };
  }
  return null;
}

async function sessionOf(
  tx: Tx,
  userId: UserId,
  methods: readonly AuthMethod[],
  signIn: GuestToConvert['signIn'],
): Promise<string | null> {
  return signIn && openSession(tx, { userId, methods, ...signIn });
}

/** The code of a flow. The others are those that it had under earlier data keys. */
function codesOf({ vault }: Service, flowId: string): string[] {
  return vault.everyMac('guest conversion', flowId).map((mac) => mac.toString('base64url'));
}
