import type { AppId, RequestId, UserId } from '../../base/ids.ts';
import { identifyCaller } from '../../base/log.ts';
import { Problem } from '../../base/problems.ts';
import { hashSecret } from '../../base/secrets.ts';
import { hasGuestTokens, useGuestToken } from '../../identity/guest-tokens.ts';
import { lookUpUser } from '../../identity/users.ts';
import type { Session } from '../../oauth/sessions.ts';
import { lookUpRequest, type TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../service/service.ts';
import { undecidedInTheDark } from '../../views/requests/undecided.ts';

const PURPOSE = 'approval page';
const LIFE_MS = 30 * 60_000;

/** What opens a payment's page: a guest's page token, or the session of a full user. */
export type PageKey = string | Session;

/** A payment that somebody may decide. `session`: the full user's, null for a guest. */
export type OpenedRequest = { readonly request: TransferRequest; readonly session: Session | null };

/**
 * The form token: a hidden field that proves a decision was made on a page we rendered for this player and this request
 * (CSRF). For a guest it works without a cookie, which a frame would not get. It stands for the guest's own token,
 * which must still be valid when it is used. For a full user it is bound to the session, whose cookie must come with
 * it. It decides one request, which is decided once. In the address of a guest's page it replaces their page token,
 * which opens all their payments as long as they are a guest.
 *
 * Its form is `expiry.holder.mac`. The last two are base64url; the holder follows `g` for a guest's token or `s` for a
 * session.
 */
export function issueFormToken({ vault }: Service, requestId: RequestId, key: PageKey): string {
  const holder = typeof key === 'string' ? `g${hashSecret(key).toString('base64url')}` : `s${key.uid}`;
  const payload = `${Date.now() + LIFE_MS}.${holder}`;
  return `${payload}.${vault.mac(PURPOSE, `${requestId}.${payload}`).toString('base64url')}`;
}

/** The request that a key opens. Throws `not-found`, whatever the reason, and `token-expired` for an old token. */
export async function requestByKey(service: Service, requestId: RequestId, key: PageKey): Promise<OpenedRequest> {
  if (typeof key === 'string') return requestByTokenHash(service, requestId, hashSecret(key));
  const request = await lookUpRequest(service.db, requestId);
  if (request?.source !== 'user' || request.userId !== key.userId) throw notFound();
  return { request: (await undecidedInTheDark(service, [request]))[0]!, session: key };
}

/**
 * The request that a form token decides, for the signed-in `session` (null for nobody). Throws like {@link
 * requestByKey}. A token that is too old still shows the outcome of a decided request: its holder may have decided it,
 * and must get that answer.
 */
export async function requestByFormToken(
  service: Service,
  requestId: RequestId,
  formToken: string,
  session: Session | null,
): Promise<OpenedRequest> {
  const token = readFormToken(service, requestId, formToken);
  if (!token) throw notFound();
  const { expiresAt, holder } = token;
  const opened = holder.startsWith('g')
    ? await requestByTokenHash(service, requestId, guestTokenHash(holder))
    : await requestBySession(service, requestId, holder.slice(1), session);
  if (expiresAt < Date.now() && opened.request.status === 'pending')
    throw new Problem('token-expired', 'This page was open for too long. Open it again.');
  return opened;
}

/**
 * The hash of the guest's token that a form token stands for, valid or not; null if the form token is not genuine, or a
 * full user's.
 */
export function guestOfFormToken(service: Service, requestId: RequestId, formToken: string): Uint8Array | null {
  const holder = readFormToken(service, requestId, formToken)?.holder;
  return holder?.startsWith('g') ? guestTokenHash(holder) : null;
}

function readFormToken({ vault }: Service, requestId: RequestId, formToken: string) {
  const [expiry = '', holder = '', mac = ''] = formToken.split('.');
  const genuine = vault.macMatches(PURPOSE, `${requestId}.${expiry}.${holder}`, Buffer.from(mac, 'base64url'));
  return genuine ? { expiresAt: Number(expiry), holder } : null;
}

function guestTokenHash(holder: string): Buffer {
  return Buffer.from(holder.slice(1), 'base64url');
}

async function requestBySession(service: Service, requestId: RequestId, uid: string, session: Session | null) {
  if (session?.uid !== uid) throw new Problem('token-expired', 'You have signed out. Open the payment again.');
  return requestByKey(service, requestId, session);
}

async function requestByTokenHash(
  service: Service,
  requestId: RequestId,
  tokenHash: Uint8Array,
): Promise<OpenedRequest> {
  const { db, settings } = service;
  const token = await useGuestToken(db, tokenHash, 'page', settings.guestTokenDays);
  const request = await lookUpRequest(db, requestId);
  if (!token || !request || request.source !== 'user' || !concerns(token, request)) throw notFound();
  identifyCaller(token);
  if (token.expired) throw new Problem('token-expired', 'The game has to sign you in again.');
  return { request: (await undecidedInTheDark(service, [request]))[0]!, session: null };
}

function concerns(token: { userId: UserId; appId: AppId }, request: TransferRequest): boolean {
  return token.userId === request.userId && token.appId === request.appId;
}

function notFound(): Problem {
  return new Problem('not-found', 'There is no such request for you.');
}

const PROGRESS_PURPOSE = 'progress of a payment';
const PROGRESS_LIFE_MS = 30 * 60_000;

/**
 * Issues a token that lets a page see the status of one payment without a session: a guest's result page, or a frame of a full user's
 * payment, which may also deliver the result. It goes into an address, where the guest's own token must never be. Its form is
 * `expiry.mac`, the latter in base64url. `neededUntil`: when the payment is decided at the latest.
 */
export function issueProgressToken(
  { vault }: Pick<Service, 'vault'>,
  requestId: RequestId,
  neededUntil?: Date,
): string {
  const expiry = Math.max(Date.now(), neededUntil?.getTime() ?? 0) + PROGRESS_LIFE_MS;
  return `${expiry}.${vault.mac(PROGRESS_PURPOSE, `${requestId}.${expiry}`).toString('base64url')}`;
}

/**
 * Whether the token belongs to this request and is not too old, and its player may still be asked: a guest has tokens of the game, a full
 * user has not closed the account.
 */
export async function opensProgress(
  { vault, db }: Pick<Service, 'vault' | 'db'>,
  requestId: RequestId,
  token: string,
): Promise<boolean> {
  const [expiry = '', mac = ''] = token.split('.');
  const genuine = vault.macMatches(PROGRESS_PURPOSE, `${requestId}.${expiry}`, Buffer.from(mac, 'base64url'));
  if (!genuine || Number(expiry) < Date.now()) return false;
  const request = await lookUpRequest(db, requestId);
  const user = request && (await lookUpUser(db, request.userId));
  return user?.kind === 'guest' ? hasGuestTokens(db, user.id, request!.appId) : user?.kind === 'full';
}
