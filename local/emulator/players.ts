import { createHash, randomBytes } from 'node:crypto';
import { toChecksum } from '../../src/base/address.ts';
import { type UserId, userIdFrom } from '../../src/base/ids.ts';
import { Problem } from '../../src/base/problems.ts';
import { asQuarters, lesser } from '../../src/base/quarters.ts';
import { hashSecret } from '../../src/base/secrets.ts';
import { changeSpendingLimit } from '../../src/features/accounts/spending-limit.ts';
import { convertGuest } from '../../src/features/guests/convert-guest.ts';
import { createGuest, giveGuestTokens, type NewGuest } from '../../src/features/guests/create-guest.ts';
import { signUp } from '../../src/features/sessions/sign-up.ts';
import { type App, lookUpNamedLivingApp } from '../../src/identity/apps.ts';
import { type AppCaller, SCOPES } from '../../src/identity/callers.ts';
import { grantConsent } from '../../src/identity/consents.ts';
import { useGuestToken } from '../../src/identity/guest-tokens.ts';
import { storeMandateChoice } from '../../src/identity/mandates.ts';
import { findUser, findUserByEmail, type User } from '../../src/identity/users.ts';
import { lookUpAccountOfUser } from '../../src/ledger/accounts.ts';
import { insertCode } from '../../src/oauth/tokens.ts';
import { oncePerService } from '../../src/service/once-per-service.ts';
import type { Service } from '../../src/service/service.ts';
import { mandateOffer, offerTo } from '../../src/views/approvals/confirmation.ts';
import { fund, requireArrival } from './funding.ts';
import { type AppTokens, redeemCode } from './redeem-code.ts';
import { Refused } from './refused.ts';
import type { World } from './world.ts';

export type NewPlayer = {
  readonly app: string;
  readonly quarters?: number;
  /** True if it is left out. */
  readonly guest?: boolean;
  /** Of a full user. */
  readonly email?: string;
  readonly displayName?: string;
  /** So many quarters a day the player lets the app take without asking. */
  readonly approves?: number;
};

/** A player of an app. Tokens are shown here alone. */
export type EmulatorPlayer = {
  readonly id: UserId;
  readonly kind: 'guest' | 'full';
  readonly address: string;
  readonly accessToken: string;
  /** A full user's. */
  readonly refreshToken: string | null;
  /** The API's `firebase_token`. A guest's. */
  readonly pageToken: string | null;
  /** What opens a full user's account on the pages. */
  readonly email: string | null;
  readonly password: string | null;
};

/** Every full user's, so that somebody can sign in on the pages. */
const PASSWORD = 'a player of the emulator';

/** The tokens of guests. They are kept nowhere else: the database has their hashes. */
const guestTokens = oncePerService(() => new Map<UserId, Pick<NewGuest, 'accessToken' | 'pageToken'>>());

/** An app's own server, as far as guests ask for it. */
const serverOf = (appId: App['id']): AppCaller => ({
  kind: 'app',
  appId,
  keyHash: new Uint8Array(),
  scopes: [],
  payPerDay: null,
});

/** Makes a player whose quarters can be spent. */
export function createPlayer(world: World, given: NewPlayer): Promise<EmulatorPlayer> {
  return world.randomness.seeded('player', () => create(world, given));
}

async function create(world: World, given: NewPlayer): Promise<EmulatorPlayer> {
  const { quarters = 0, guest = true, email, displayName, approves } = given;
  if (guest && (email ?? displayName) !== undefined) throw new Refused('A guest has no e-mail address and no name.');
  requireArrival(world, quarters);
  const app = await lookUpNamedLivingApp(world.service.db, given.app);
  if (!app) throw new Problem('not-found', `There is no app "${given.app}".`);
  if (approves !== undefined) requireAutoApproval(app);
  const player = guest ? await newGuest(world, app) : await newUser(world, app, { email, displayName });
  if (approves !== undefined) await allowSpending(world.service, player.id, app, approves);
  await fund(world, player.id, quarters);
  return player;
}

async function newGuest({ service }: World, { id: appId }: App): Promise<EmulatorPlayer> {
  const { userId: id, address, ...tokens } = await createGuest(service, serverOf(appId));
  guestTokens(service).set(id, tokens);
  const none = { refreshToken: null, email: null, password: null };
  return { id, kind: 'guest', address: toChecksum(address), ...tokens, ...none };
}

/** Signs up, agrees to what the app may do, and comes back to it with a code, as through its sign-in. The mailed code is not asked for. */
async function newUser(
  world: World,
  app: App,
  { email = `player-${randomBytes(6).toString('hex')}@game.example`, displayName = 'Player' }: Partial<Person>,
): Promise<EmulatorPlayer> {
  const { service } = world;
  if (await findUserByEmail(service.db, email)) throw emailTaken(email);
  await signUp(service, { email, displayName, password: PASSWORD, client: somewhere(), former: undefined });
  const user = (await findUserByEmail(service.db, email))!;
  const { code, verifier } = await service.db.transaction(async (tx) => {
    await grantConsent(tx, { userId: user.id, appId: app.id, scopes: SCOPES });
    const { verifier, codeChallenge } = newProof();
    const code = await insertCode(tx, { userId: user.id, appId: app.id, scopes: SCOPES.join(' '), codeChallenge });
    return { code, verifier };
  });
  return fullPlayer(service, user, await redeemCode(world, app, { code, verifier }));
}

type Person = { readonly email: string | undefined; readonly displayName: string | undefined };

/** A guest makes its account full, as on the page for it, but for the mailed code. It stays the same account. */
export async function signUpGuest(world: World, player: string, given: Partial<Person>): Promise<EmulatorPlayer> {
  const { service } = world;
  const guest = await playerOf(service, player);
  if (guest.kind !== 'guest') throw new Refused('The player is a full user already.');
  const { accessToken } = await tokensOfGuest(service, guest);
  const { email = `${guest.id.toLowerCase()}@game.example`, displayName = 'Player' } = given;
  const app = (await lookUpNamedLivingApp(service.db, guest.guestOf!))!;
  const { verifier, codeChallenge } = newProof();
  const result = await convertGuest(service, {
    ...{ appId: app.id, userId: guest.id, tokenHash: hashSecret(accessToken) },
    ...{ email, displayName, password: PASSWORD, client: somewhere() },
    ...{ flowId: randomBytes(32).toString('hex'), redirectUri: null, codeChallenge, signIn: null },
  });
  if (result.kind === 'email-taken') throw emailTaken(email);
  if (result.kind !== 'converted') throw new Refused('The guest is gone, or its app is suspended.');
  const user = (await findUser(service.db, guest.id))!;
  return fullPlayer(service, user, await redeemCode(world, app, { code: result.code, verifier }));
}

async function fullPlayer({ db }: Service, { id, email }: User, tokens: AppTokens): Promise<EmulatorPlayer> {
  const { address } = (await lookUpAccountOfUser(db, id))!;
  return { id, kind: 'full', address: toChecksum(address), ...tokens, pageToken: null, email, password: PASSWORD };
}

const emailTaken = (email: string) => new Refused(`${email} is somebody's already.`);

/** RFC 7636. */
function newProof(): { readonly verifier: string; readonly codeChallenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, codeChallenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A place of its own for each player (RFC 3849): attempts are counted by places. */
const somewhere = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::/64`;

/** The user with this id, who may have come about in any way. Throws `not-found`. */
export async function playerOf({ db }: Service, player: string): Promise<User> {
  const id = userIdFrom(player);
  const user = id && (await findUser(db, id));
  if (!user) throw new Problem('not-found', `There is no player "${player}".`);
  if (user.kind === 'closed') throw new Refused('The account of this player is closed.');
  return user;
}

/** A guest's tokens, or new ones for a guest that the game has made: the game's own keep working. */
export async function tokensOfGuest(service: Service, { id, guestOf }: User) {
  const kept = guestTokens(service).get(id);
  const isAlive =
    kept && (await useGuestToken(service.db, hashSecret(kept.pageToken), 'page', service.settings.guestTokenDays));
  if (kept && isAlive && !isAlive.expired) return kept;
  const given = await giveGuestTokens(service, serverOf(guestOf!), id);
  guestTokens(service).set(id, given);
  return given;
}

export function requireAutoApproval({ autoApprove, name }: App): void {
  if (!autoApprove) throw new Refused(`"${name}" may take nothing without asking: make the app with autoApprove.`);
}

/** The player has approved a payment earlier, and agreed to what its page said about later ones. */
async function allowSpending(service: Service, userId: UserId, app: App, perDay: number): Promise<void> {
  const { limits } = await offerTo(service, app, userId);
  const choice = { limits, asksAlways: false };
  await service.db.transaction((tx) => storeMandateChoice(tx, { userId, appId: app.id }, choice));
  await limitSpending(service, userId, app, perDay);
}

/** As on the page of the account. A payment has the operator's limit, and never more than the day. */
export async function limitSpending(service: Service, userId: UserId, app: App, perDay: number): Promise<void> {
  const offer = mandateOffer(service, app);
  const perTransfer = lesser(asQuarters(perDay), offer.maxPerTransfer);
  const most = { perTransfer: offer.maxPerTransfer, perDay: offer.maxPerDay };
  await changeSpendingLimit(
    service,
    { id: userId },
    { app, most },
    { perTransfer: `${perTransfer}`, perDay: `${perDay}` },
  );
}
